#include "process_groups/group_recorder.h"

#include "process_groups/group_launch.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {
namespace {

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::vector<FlightTensor> describe(llvm::ArrayRef<Tensor> tensors) {
  std::vector<FlightTensor> all;
  for (const Tensor &tensor : tensors)
    all.push_back({shortName(tensor.dtype()).str(), tensor.numElements()});
  return all;
}

std::string detailOf(const GroupCall &call) {
  CollectiveKind kind = kindOf(call.op);
  if (kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter)
    return reduceOpName(call.reduction.op()).str();
  if (kind == CollectiveKind::Broadcast || kind == CollectiveKind::Scatter)
    return "from " + std::to_string(call.root);
  return "";
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

GroupRecorder::Number GroupRecorder::begin(const GroupCall &call, const FlightGroup &group, int64_t sequence) {
  FlightCall entry;
  entry.operation = isTransfer(call.op) ? collectiveName(kindOf(call.op)).str() : groupOpName(call.op).str();
  entry.detail = detailOf(call);
  entry.tag = call.tag;
  entry.inputs = describe(call.inputs);
  entry.outputs = describe(call.outputs);
  entry.times.scheduled = now();
  entry.sequence = sequence;
  std::lock_guard<std::mutex> lock(mutex_);
  entry.group = groupOf(group);
  if (isTransfer(call.op)) {
    entry.peer = call.peer;
    entry.sequence = ++transfers_[{entry.group, call.op == GroupOp::Send, call.peer, call.tag}];
  }
  calls_.push_back(std::move(entry));
  if (calls_.size() > mostCalls_) {
    calls_.pop_front();
    ++first_;
  }
  return first_ + static_cast<Number>(calls_.size()) - 1;
}

FlightCall *GroupRecorder::find(Number call) {
  return call < first_ ? nullptr : &calls_[static_cast<size_t>(call - first_)];
}

void GroupRecorder::start(Number call) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (FlightCall *entry = find(call)) {
    entry->state = FlightState::Started;
    entry->times.started = now();
  }
}

void GroupRecorder::complete(Number call) {
  std::lock_guard<std::mutex> lock(mutex_);
  FlightCall *entry = find(call);
  if (!entry || entry->state == FlightState::Completed)
    return;
  entry->state = FlightState::Completed;
  entry->times.completed = now();
}

FlightRecord GroupRecorder::record() const {
  std::lock_guard<std::mutex> lock(mutex_);
  FlightRecord record;
  record.rank = rank_;
  record.worldSize = worldSize_;
  record.engine = "process groups";
  record.taken = now();
  record.forgottenCalls = first_;
  record.groups = groups_;
  record.calls.assign(calls_.begin(), calls_.end());
  bool waits = llvm::any_of(calls_, [](const FlightCall &call) { return call.state == FlightState::Started; });
  record.activity = waits ? RankActivity::Waiting : RankActivity::Busy;
  return record;
}

WorkPtr recordedWork(WorkPtr work, std::shared_ptr<GroupRecorder> recorder, GroupRecorder::Number call) {
  return std::make_shared<RecordedWork>(std::move(work), std::move(recorder), call);
}

} // namespace ccgraph::runtime
