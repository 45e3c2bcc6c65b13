#include "process_groups/group_recorder.h"

#include "process_groups/group_launch.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {
namespace {

/// Entries whose memory is taken at the first call.
constexpr size_t mostReserved = 1024;

int64_t nanoseconds(std::chrono::nanoseconds time) { return time.count(); }

class RecordedWork final : public Work {
public:
  RecordedWork(WorkPtr work, GroupCallRecord record) : work_(std::move(work)), record_(std::move(record)) {}

  llvm::Error wait(std::optional<Milliseconds> timeout) override {
    llvm::Error error = work_->wait(timeout);
    if (!error)
      record_.complete();
    return error;
  }
  bool isCompleted() override {
    bool ended = work_->isCompleted();
    llvm::Error error = work_->exception();
    if (ended && !error)
      record_.complete();
    llvm::consumeError(std::move(error));
    return ended;
  }
  llvm::Error exception() override { return work_->exception(); }
  std::vector<Tensor> result() const override { return work_->result(); }
  llvm::Expected<int64_t> sourceRank() override { return work_->sourceRank(); }

private:
  WorkPtr work_;
  GroupCallRecord record_;
};

} // namespace

GroupRecorder::Now GroupRecorder::Now::read() {
  return {Clock::now(), nanoseconds(std::chrono::system_clock::now().time_since_epoch())};
}

/// 0 for a time that has not come.
int64_t GroupRecorder::Now::wallOf(Clock::time_point time) const {
  return time == Clock::time_point() ? 0 : wall - nanoseconds(steady - time);
}

size_t GroupRecorder::groupOf(const FlightGroup &group) {
  Lock lock(mutex_);
  auto found = llvm::find_if(groups_, [&](const FlightGroup &each) { return each.name == group.name; });
  if (found == groups_.end())
    found = groups_.insert(groups_.end(), group);
  return static_cast<size_t>(found - groups_.begin());
}

/// All that an earlier call may have left in the entry is replaced.
void GroupRecorder::fill(Entry &entry, const GroupCall &call) {
  entry.op = call.op;
  entry.reduction = call.reduction.op();
  entry.root = call.root;
  entry.peer = call.peer;
  entry.tag = call.tag;
  entry.inputs.clear();
  for (const Tensor &tensor : call.inputs)
    entry.inputs.push_back({tensor.dtype(), tensor.numElements()});
  entry.outputs.clear();
  for (const Tensor &tensor : call.outputs)
    entry.outputs.push_back({tensor.dtype(), tensor.numElements()});
  entry.state = FlightState::Started;
  entry.completed = {};
}

/// The oldest entry, once there are mostCalls_.
size_t GroupRecorder::entryForNext() {
  if (calls_.size() == mostCalls_) {
    size_t entry = oldest_;
    oldest_ = entry + 1 == mostCalls_ ? 0 : entry + 1;
    return entry;
  }
  if (calls_.empty())
    calls_.reserve(std::min(mostCalls_, mostReserved));
  calls_.emplace_back();
  return calls_.size() - 1;
}

GroupRecorder::Place GroupRecorder::begin(const GroupCall &call, size_t group, int64_t sequence,
                                          Clock::time_point begun) {
  Lock lock(mutex_);
  if (isTransfer(call.op))
    sequence = ++transfers_[{group, call.op == GroupOp::Send, call.peer, call.tag}];
  Place place{next_++, 0};
  if (mostCalls_ == 0)
    return place;
  place.entry = entryForNext();
  Entry &entry = calls_[place.entry];
  fill(entry, call);
  entry.number = place.number;
  entry.group = group;
  entry.sequence = sequence;
  entry.begun = begun;
  return place;
}

GroupRecorder::Entry *GroupRecorder::find(Place call) {
  bool isThere = !calls_.empty() && calls_[call.entry].number == call.number;
  return isThere ? &calls_[call.entry] : nullptr;
}

void GroupRecorder::withdraw(Place call) {
  Lock lock(mutex_);
  if (Entry *entry = find(call))
    entry->state = FlightState::Scheduled;
}

void GroupRecorder::complete(Place call) {
  Lock lock(mutex_);
  Entry *entry = find(call);
  if (!entry || entry->state == FlightState::Completed)
    return;
  entry->state = FlightState::Completed;
  entry->completed = Clock::now();
}

static std::string detailOf(CollectiveKind kind, ReduceOp reduction, int64_t root) {
  if (kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter)
    return reduceOpName(reduction).str();
  if (kind == CollectiveKind::Broadcast || kind == CollectiveKind::Scatter)
    return "from " + std::to_string(root);
  return "";
}

FlightCall GroupRecorder::describe(const Entry &entry, const Now &now) {
  FlightCall call;
  call.group = entry.group;
  call.sequence = entry.sequence;
  call.operation = isTransfer(entry.op) ? collectiveName(kindOf(entry.op)).str() : groupOpName(entry.op).str();
  call.detail = detailOf(kindOf(entry.op), entry.reduction, entry.root);
  if (isTransfer(entry.op))
    call.peer = entry.peer;
  call.tag = entry.tag;
  for (const auto &[rows, tensors] : {std::pair(&entry.inputs, &call.inputs), std::pair(&entry.outputs, &call.outputs)})
    for (const Row &row : *rows)
      tensors->push_back({shortName(row.dtype).str(), row.elements});
  call.state = entry.state;
  call.times.scheduled = now.wallOf(entry.begun);
  call.times.started = entry.state == FlightState::Scheduled ? 0 : call.times.scheduled;
  call.times.completed = now.wallOf(entry.completed);
  return call;
}

FlightRecord GroupRecorder::record() const {
  std::unique_lock<BriefLock> lock(mutex_);
  std::vector<Entry> calls(calls_.begin() + static_cast<std::ptrdiff_t>(oldest_), calls_.end());
  calls.insert(calls.end(), calls_.begin(), calls_.begin() + static_cast<std::ptrdiff_t>(oldest_));
  Now now = Now::read();
  FlightRecord record;
  record.groups = groups_;
  record.forgottenCalls = next_ - static_cast<int64_t>(calls.size());
  lock.unlock();
  record.rank = rank_;
  record.worldSize = worldSize_;
  record.engine = "process groups";
  record.taken = now.wall;
  for (const Entry &call : calls)
    record.calls.push_back(describe(call, now));
  bool waits = llvm::any_of(calls, [](const Entry &call) { return call.state == FlightState::Started; });
  record.activity = waits ? RankActivity::Waiting : RankActivity::Busy;
  return record;
}

WorkPtr recordedWork(WorkPtr work, GroupCallRecord record) {
  return std::make_shared<RecordedWork>(std::move(work), std::move(record));
}

} // namespace ccgraph::runtime
