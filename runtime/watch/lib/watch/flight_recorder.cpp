#include "watch/flight_recorder.h"

#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/plan_fingerprint.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <chrono>

namespace ccgraph::runtime {
namespace {

FlightTensor tensorOf(DType dtype, int64_t elements) { return {shortName(dtype).str(), elements}; }

std::string operationOf(const PlanStep &step) {
  if (const KernelStep *kernel = step.kernel())
    return kernel->op->target.str().str();
  if (const CollectiveStep *collective = step.collective())
    return collective->calls.empty() ? "" : collectiveName(collective->calls.front().kind).str();
  return "copy";
}

/// For a call that has not started, the plan gives the data that it will move, as far as sizes are known.
void addPlannedRows(const PlanCollective &plan, FlightCall &call) {
  auto add = [](const std::optional<PlanWindow> &window, std::vector<FlightTensor> &tensors) {
    if (window)
      if (std::optional<IntList> sizes = staticDims(window->type->sizes()))
        tensors.push_back(tensorOf(window->type->dtype(), productOf(*sizes)));
  };
  for (const PlanRow &row : plan.rows) {
    add(row.send, call.inputs);
    add(row.receive, call.outputs);
  }
}

/// Returns the facts that members share besides rows and ranks: "sum", "from 1".
std::string detailOf(const PlanCollective &call) {
  if (call.reduceOp)
    return reduceOpName(*call.reduceOp).str();
  return call.root < 0 ? "" : "from " + std::to_string(call.root);
}

} // namespace

template <typename Entry>
std::vector<Entry> FlightRecorder::Ring<Entry>::take() const {
  std::vector<Entry> taken;
  for (uint64_t number = first(); number < next; ++number)
    taken.push_back(entries[placeOf(number)]);
  return taken;
}

FlightRecorder::FlightRecorder(const Setup &setup) : setup_(setup), engine_(setup.engine) {
  numberPlan();
  calls_.keep(setup.calls);
  rows_.resize(calls_.entries.size() * mostRows_);
  steps_.keep(setup.steps);
  lastOfStep_.assign(setup.plan->steps.size(), ~uint64_t{0});
}

FlightRecorder::Line FlightRecorder::lineOf(const PlanCollective &call) const {
  Line line{setup_.plan->groups[call.group].members(setup_.rank).vec()};
  if (!isPointToPoint(call.kind) || call.peer < 0 || call.peer >= static_cast<int64_t>(line.members.size()))
    return line;
  int64_t peer = line.members[static_cast<size_t>(call.peer)];
  bool sends = call.kind == CollectiveKind::Send;
  line.from = sends ? setup_.rank : peer;
  line.to = sends ? peer : setup_.rank;
  line.tag = call.tag;
  // A transfer to oneself has both ends on one rank, so each end is counted separately.
  if (line.from == line.to && !sends)
    line.from = -2;
  return line;
}

void FlightRecorder::numberPlan() {
  std::map<Line, int64_t> numbers;
  for (size_t step = 0; step < setup_.plan->steps.size(); ++step)
    if (const CollectiveStep *work = setup_.plan->steps[step].collective())
      for (size_t index = 0; index < work->calls.size(); ++index) {
        plannedNumbers_[{step, index}] = ++numbers[lineOf(work->calls[index])];
        mostRows_ = std::max(mostRows_, work->calls[index].rows.size());
      }
}

const PlanCollective &FlightRecorder::planned(const Enrolled &call) const {
  return setup_.plan->steps[call.step].collective()->calls[call.index];
}

FlightRecorder::Call FlightRecorder::enrol(size_t step, size_t index) {
  Enrolled call;
  call.step = step;
  call.index = index;
  call.sequence = ++numbers_[lineOf(planned(call))];
  call.planned = plannedNumbers_.at({step, index});
  enrolled_.push_back(call);
  return enrolled_.size() - 1;
}

int64_t FlightRecorder::now() {
  using namespace std::chrono;
  static const int64_t offset = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count() -
                                duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count() + offset;
}

int64_t FlightRecorder::timeOf(Moment moment) const { return moment ? begun_ + moment->count() : now(); }

FlightRecorder::Moment FlightRecorder::moment() const { return std::chrono::nanoseconds(now() - begun_); }

void FlightRecorder::begin() {
  Lock lock(mutex_);
  begun_ = now();
  calls_.next = 0;
  steps_.next = 0;
  lost_ = false;
  setBusy();
}

void FlightRecorder::schedule(Call call, Moment moment) {
  int64_t time = timeOf(moment);
  Lock lock(mutex_);
  enrolled_[call].last = calls_.next;
  CallEntry &entry = calls_.add();
  entry.call = call;
  entry.times.scheduled = time;
}

void FlightRecorder::start(Call call, const Launch &launch, Moment moment) {
  int64_t time = timeOf(moment);
  Lock lock(mutex_);
  uint64_t number = enrolled_[call].last;
  if (!calls_.holds(number))
    return;
  CallEntry &entry = calls_.at(number);
  entry.state = FlightState::Started;
  entry.times.started = time;
  entry.rows = std::min(std::max(launch.send.size(), launch.receive.size()), mostRows_);
  Row *rows = rows_.data() + calls_.placeOf(number) * mostRows_;
  for (size_t i = 0; i < entry.rows; ++i) {
    rows[i] = {};
    if (i < launch.send.size() && !launch.send[i].pieces().empty())
      rows[i].sentType = launch.send[i].dtype(), rows[i].sent = launch.send[i].numElements();
    if (i < launch.receive.size() && !launch.receive[i].pieces().empty())
      rows[i].receivedType = launch.receive[i].dtype(), rows[i].received = launch.receive[i].numElements();
  }
}

void FlightRecorder::complete(Call call, Moment moment) {
  int64_t time = timeOf(moment);
  Lock lock(mutex_);
  if (!calls_.holds(enrolled_[call].last))
    return;
  CallEntry &entry = calls_.at(enrolled_[call].last);
  entry.state = FlightState::Completed;
  entry.times.completed = time;
}

void FlightRecorder::beginStep(size_t step, Moment moment) {
  int64_t time = timeOf(moment);
  Lock lock(mutex_);
  lastOfStep_[step] = steps_.next;
  StepEntry &entry = steps_.add();
  entry.step = step;
  entry.times.started = time;
}

void FlightRecorder::endStep(size_t step, Moment moment) {
  int64_t time = timeOf(moment);
  Lock lock(mutex_);
  if (steps_.holds(lastOfStep_[step]))
    steps_.at(lastOfStep_[step]).times.completed = time;
}

static void correctTimes(FlightTimes &times, FlightRecorder::Span span) {
  times.started = span.began;
  times.completed = span.ended;
  times.scheduled = std::min(times.scheduled, span.began);
}

void FlightRecorder::correct(Call call, Span span) {
  Lock lock(mutex_);
  if (calls_.holds(enrolled_[call].last))
    correctTimes(calls_.at(enrolled_[call].last).times, span);
}

void FlightRecorder::correctStep(size_t step, Span span) {
  Lock lock(mutex_);
  if (steps_.holds(lastOfStep_[step]))
    correctTimes(steps_.at(lastOfStep_[step]).times, span);
}

std::optional<size_t> FlightRecorder::busyWith() const {
  uint32_t activity = activity_.load(std::memory_order_relaxed);
  return activity < ended ? std::optional<size_t>(activity) : std::nullopt;
}

// --- Records ------------------------------------------------------------------------------------------------

/// Groups of the same ranks are one: their calls match in one order.
size_t FlightRecorder::groupOf(llvm::ArrayRef<int64_t> members, FlightRecord &record) const {
  auto found = llvm::find_if(record.groups, [&](const FlightGroup &group) { return members.equals(group.ranks); });
  return static_cast<size_t>(found - record.groups.begin());
}

FlightRecord FlightRecorder::record() const {
  FlightRecord record;
  record.rank = setup_.rank;
  record.worldSize = static_cast<int64_t>(setup_.numRanks);
  record.engine = engine_;
  record.graphDigest = setup_.plan->graphDigest;
  record.taken = now();
  describeActivity(record);
  for (const Group &group : setup_.plan->groups)
    if (llvm::ArrayRef<int64_t> members = group.members(setup_.rank);
        !members.empty() && groupOf(members, record) == record.groups.size())
      record.groups.push_back({group.name, group.description, members.vec()});
  std::unique_lock<BriefLock> lock(mutex_);
  std::vector<CallEntry> calls = calls_.take();
  std::vector<Row> rows = rows_;
  std::vector<StepEntry> steps = steps_.take();
  uint64_t firstCall = calls_.first(), firstStep = steps_.first();
  lock.unlock();
  record.forgottenCalls = static_cast<int64_t>(firstCall);
  record.forgottenSteps = static_cast<int64_t>(firstStep);
  for (size_t i = 0; i < calls.size(); ++i) {
    size_t place = calls_.placeOf(firstCall + i);
    record.calls.push_back(
        describe(calls[i], llvm::makeArrayRef(rows).slice(place * mostRows_, calls[i].rows), record));
  }
  for (const StepEntry &entry : steps) {
    const PlanStep &step = setup_.plan->steps[entry.step];
    record.steps.push_back({static_cast<int64_t>(entry.step), step.name.str().str(), operationOf(step),
                            step.collective() != nullptr, setup_.plan->streams[step.stream].name, entry.times});
  }
  return record;
}

void FlightRecorder::describeActivity(FlightRecord &record) const {
  uint32_t activity = activity_.load(std::memory_order_relaxed);
  record.activity = activity == waiting ? RankActivity::Waiting
                    : activity == ended ? RankActivity::Ended
                                        : RankActivity::Busy;
  if (activity < ended)
    record.busyWith = setup_.plan->steps[activity].name.str().str();
}

FlightCall FlightRecorder::describe(const CallEntry &entry, llvm::ArrayRef<Row> rows, FlightRecord &record) const {
  const Enrolled &enrolled = enrolled_[entry.call];
  const PlanCollective &plan = planned(enrolled);
  FlightCall call;
  call.group = groupOf(setup_.plan->groups[plan.group].members(setup_.rank), record);
  call.sequence = enrolled.sequence;
  call.operation = collectiveName(plan.kind).str();
  call.detail = detailOf(plan);
  if (isPointToPoint(plan.kind))
    call.peer = plan.peer;
  call.tag = plan.tag;
  for (const Row &row : rows) {
    if (row.sent >= 0)
      call.inputs.push_back(tensorOf(row.sentType, row.sent));
    if (row.received >= 0)
      call.outputs.push_back(tensorOf(row.receivedType, row.received));
  }
  // With simulated durations a call moves nothing, though the plan states what it would move.
  if (entry.state == FlightState::Scheduled || rows.empty())
    addPlannedRows(plan, call);
  call.state = entry.state;
  call.times = entry.times;
  call.step = setup_.plan->steps[enrolled.step].name.str().str();
  call.position = static_cast<int64_t>(enrolled.step);
  call.departure = departure(enrolled, call);
  return call;
}

std::string FlightRecorder::departure(const Enrolled &call, const FlightCall &described) const {
  if (call.sequence != call.planned)
    return "number " + std::to_string(call.planned) + " by the plan";
  if (described.state == FlightState::Scheduled)
    return "";
  // A plan's counts are those of one binding of its symbols, and this run may have another.
  bool counts = setup_.plan->layout.symbols.empty();
  CollectiveFingerprint print = fingerprintOf(*setup_.plan, planned(call), setup_.rank);
  bool received = print.kind == CollectiveKind::Recv || print.kind == CollectiveKind::Scatter;
  const std::vector<FlightTensor> &rows = received ? described.outputs : described.inputs;
  for (size_t i = 0; i < print.rows.size() && i < rows.size(); ++i) {
    bool dtype = print.rows[i].dtype && rows[i].dtype != shortName(*print.rows[i].dtype);
    bool elements = counts && print.rows[i].elements && rows[i].elements != *print.rows[i].elements;
    if (dtype || elements)
      return print.payload() + " by the plan";
  }
  return "";
}

} // namespace ccgraph::runtime
