#include "process_groups/group_recorder.h"

#include "process_groups/group_launch.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {
namespace {

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class RecordedWork final : public Work {
public:
  RecordedWork(WorkPtr work, std::shared_ptr<GroupRecorder> recorder, GroupRecorder::Number call)
      : work_(std::move(work)), recorder_(std::move(recorder)), call_(call) {}

  llvm::Error wait(std::optional<Milliseconds> timeout) override {
    llvm::Error error = work_->wait(timeout);
    if (!error)
      recorder_->complete(call_);
    return error;
  }
  bool isCompleted() override {
    bool ended = work_->isCompleted();
    llvm::Error error = work_->exception();
    if (ended && !error)
      recorder_->complete(call_);
    llvm::consumeError(std::move(error));
    return ended;
  }
  llvm::Error exception() override { return work_->exception(); }
  std::vector<Tensor> result() const override { return work_->result(); }
  llvm::Expected<int64_t> sourceRank() override { return work_->sourceRank(); }

private:
  WorkPtr work_;
  std::shared_ptr<GroupRecorder> recorder_;
  GroupRecorder::Number call_;
};

} // namespace

size_t GroupRecorder::groupOf(const FlightGroup &group) {
  auto found = llvm::find_if(groups_, [&](const FlightGroup &each) { return each.name == group.name; });
  if (found == groups_.end())
    found = groups_.insert(groups_.end(), group);
  return static_cast<size_t>(found - groups_.begin());
}

GroupRecorder::Entry GroupRecorder::entryOf(const GroupCall &call) {
  Entry entry;
  entry.op = call.op;
  entry.reduction = call.reduction.op();
  entry.root = call.root;
  entry.peer = call.peer;
  entry.tag = call.tag;
  for (const Tensor &tensor : call.inputs)
    entry.inputs.push_back({tensor.dtype(), tensor.numElements()});
  for (const Tensor &tensor : call.outputs)
    entry.outputs.push_back({tensor.dtype(), tensor.numElements()});
  entry.times.scheduled = now();
  return entry;
}

GroupRecorder::Number GroupRecorder::begin(const GroupCall &call, const FlightGroup &group, int64_t sequence) {
  Entry entry = entryOf(call);
  entry.sequence = sequence;
  std::lock_guard<std::mutex> lock(mutex_);
  entry.group = groupOf(group);
  if (isTransfer(call.op))
    entry.sequence = ++transfers_[{entry.group, call.op == GroupOp::Send, call.peer, call.tag}];
  if (calls_.size() < mostCalls_)
    calls_.push_back(std::move(entry));
  else if (mostCalls_ != 0)
    calls_[static_cast<size_t>(next_) % mostCalls_] = std::move(entry);
  return next_++;
}

GroupRecorder::Entry *GroupRecorder::find(Number call) {
  return call < first() ? nullptr : &calls_[static_cast<size_t>(call) % mostCalls_];
}

void GroupRecorder::start(Number call) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (Entry *entry = find(call)) {
    entry->state = FlightState::Started;
    entry->times.started = now();
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

WorkPtr recordedWork(WorkPtr work, std::shared_ptr<GroupRecorder> recorder, GroupRecorder::Number call) {
  return std::make_shared<RecordedWork>(std::move(work), std::move(recorder), call);
}

} // namespace ccgraph::runtime
