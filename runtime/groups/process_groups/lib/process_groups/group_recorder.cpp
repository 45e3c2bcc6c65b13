#include "process_groups/group_recorder.h"

#include "process_groups/group_launch.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {
namespace {

/// Entries whose memory is taken at the first call.
constexpr size_t mostReserved = 1024;

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

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

size_t GroupRecorder::groupOf(const FlightGroup &group) {
  std::lock_guard<std::mutex> lock(mutex_);
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
  entry.times = {};
}

/// The oldest entry, once there are mostCalls_.
GroupRecorder::Entry &GroupRecorder::entryForNext() {
  if (calls_.size() == mostCalls_)
    return calls_[static_cast<size_t>(next_) % mostCalls_];
  if (calls_.empty())
    calls_.reserve(std::min(mostCalls_, mostReserved));
  return calls_.emplace_back();
}

GroupRecorder::Number GroupRecorder::begin(const GroupCall &call, size_t group, int64_t sequence) {
  int64_t begun = now();
  std::lock_guard<std::mutex> lock(mutex_);
  if (isTransfer(call.op))
    sequence = ++transfers_[{group, call.op == GroupOp::Send, call.peer, call.tag}];
  if (mostCalls_ != 0) {
    Entry &entry = entryForNext();
    fill(entry, call);
    entry.group = group;
    entry.sequence = sequence;
    entry.times.scheduled = entry.times.started = begun;
  }
  return next_++;
}

GroupRecorder::Entry *GroupRecorder::find(Number call) {
  return call < first() ? nullptr : &calls_[static_cast<size_t>(call) % mostCalls_];
}

void GroupRecorder::withdraw(Number call) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (Entry *entry = find(call)) {
    entry->state = FlightState::Scheduled;
    entry->times.started = {};
  }
}

void GroupRecorder::complete(Number call) {
  std::lock_guard<std::mutex> lock(mutex_);
  Entry *entry = find(call);
  if (!entry || entry->state == FlightState::Completed)
    return;
  entry->state = FlightState::Completed;
  entry->times.completed = now();
}

static std::string detailOf(CollectiveKind kind, ReduceOp reduction, int64_t root) {
  if (kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter)
    return reduceOpName(reduction).str();
  if (kind == CollectiveKind::Broadcast || kind == CollectiveKind::Scatter)
    return "from " + std::to_string(root);
  return "";
}

FlightCall GroupRecorder::describe(const Entry &entry) {
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
  call.times = entry.times;
  return call;
}

FlightRecord GroupRecorder::record() const {
  std::lock_guard<std::mutex> lock(mutex_);
  FlightRecord record;
  record.rank = rank_;
  record.worldSize = worldSize_;
  record.engine = "process groups";
  record.taken = now();
  record.forgottenCalls = first();
  record.groups = groups_;
  for (Number call = first(); call < next_; ++call)
    record.calls.push_back(describe(calls_[static_cast<size_t>(call) % mostCalls_]));
  bool waits = llvm::any_of(calls_, [](const Entry &call) { return call.state == FlightState::Started; });
  record.activity = waits ? RankActivity::Waiting : RankActivity::Busy;
  return record;
}

WorkPtr recordedWork(WorkPtr work, GroupCallRecord record) {
  return std::make_shared<RecordedWork>(std::move(work), std::move(record));
}

} // namespace ccgraph::runtime
