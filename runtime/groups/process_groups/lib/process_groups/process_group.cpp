#include "ccgraph/runtime/process_group.h"

#include "process_groups/call_checks.h"
#include "process_groups/call_comparison.h"
#include "process_groups/group_error.h"
#include "process_groups/group_recorder.h"
#include "process_groups/local_backend.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {

llvm::Error finish(llvm::Expected<WorkPtr> work) {
  if (!work)
    return work.takeError();
  return *work ? (*work)->wait() : llvm::Error::success();
}

llvm::Expected<DebugLevel> parseDebugLevel(llvm::StringRef text) {
  for (DebugLevel level : {DebugLevel::Off, DebugLevel::Info, DebugLevel::Detail})
    if (text.equals_insensitive(debugLevelName(level)))
      return level;
  return groupError("group.argument", "",
                    "The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL. Got '" + text.str() + "'");
}

llvm::StringRef debugLevelName(DebugLevel level) {
  constexpr llvm::StringLiteral names[] = {"OFF", "INFO", "DETAIL"};
  return names[static_cast<size_t>(level)];
}

ProcessGroup::ProcessGroup(Setup setup)
    : setup_(std::move(setup)), flightGroup_{setup_.name, setup_.description, setup_.members} {
  auto found = llvm::find(setup_.members, setup_.job.rank);
  if (found != setup_.members.end())
    rank_ = found - setup_.members.begin();
}

ProcessGroup::~ProcessGroup() = default;

llvm::Expected<std::unique_ptr<ProcessGroup>> ProcessGroup::make(Setup setup) {
  std::unique_ptr<ProcessGroup> group(new ProcessGroup(std::move(setup)));
  if (group->isMember())
    if (llvm::Error error = group->createBackends())
      return error;
  return group;
}

// A backend that serves several types of devices is created once.
llvm::Error ProcessGroup::createBackends() {
  std::map<std::string, Serving> byName;
  for (const BackendConfig::Entry &entry : setup_.config.entries) {
    Serving &serving = byName[entry.backend];
    if (!serving.backend) {
      BackendSetup setup{makePrefixStore(entry.backend, setup_.store),
                         rank_,
                         setup_.members,
                         setup_.name,
                         setup_.timeout,
                         setup_.job.localRank};
      llvm::Expected<std::shared_ptr<Backend>> made = createBackend(entry.backend, setup);
      if (!made)
        return made.takeError();
      serving.backend = std::move(*made);
      serving.recording = dynamic_cast<RecordingBackend *>(serving.backend.get());
    }
    backends_.push_back({entry.device, serving.backend, serving.recording});
  }
  return llvm::Error::success();
}

void ProcessGroup::warnOutside(llvm::StringRef operation) {
  if (warned_.insert(operation.str()).second && setup_.job.warn)
    setup_.job.warn("Running " + operation.str() + " on global rank " + std::to_string(setup_.job.rank) +
                    " which does not belong to the given group.");
}

void ProcessGroup::count(GroupOp op) { sequence_ += op == GroupOp::ReduceScatter ? numMembers() : 1; }

llvm::Error ProcessGroup::check(const GroupCall &call) {
  if (checked_ && checked_->matches(call))
    return llvm::Error::success();
  checked_ = nullptr;
  if (llvm::Error error = checkCall(call, {rank_, numMembers()}))
    return error;
  if (llvm::Error error = checkReductionOf(call)) {
    count(call.op);
    return error;
  }
  if (std::optional<CallForm> form = CallForm::of(call))
    checked_ = std::make_unique<CallForm>(*form);
  return llvm::Error::success();
}

llvm::Expected<WorkPtr> ProcessGroup::issue(GroupCall &&call, const CallOptions &options) {
  if (!isMember()) {
    warnOutside(groupOpName(call.op));
    return WorkPtr();
  }
  call.timeout = options.timeout.value_or(setup_.timeout);
  if (llvm::Error error = check(call))
    return error;
  auto backend = llvm::find_if(backends_, [&](const Serving &each) { return each.device == options.device; });
  if (backend == backends_.end())
    return groupError("group.unsupported", groupOpName(call.op),
                      "No backend type associated with device type " + options.device,
                      "the group has " + setup_.config.str() + ": name a backend for " + options.device);
  if (setup_.job.debug == DebugLevel::Detail && !isTransfer(call.op))
    if (llvm::Error error = compareWithOthers(call))
      return error;
  return launch(*backend, std::move(call));
}

llvm::Expected<WorkPtr> ProcessGroup::launch(const Serving &serving, GroupCall &&call) {
  const std::shared_ptr<GroupRecorder> &recorder = setup_.job.recorder;
  if (!recordedGroup_)
    recordedGroup_ = recorder->groupOf(flightGroup_);
  auto begun = GroupRecorder::Clock::now();
  GroupRecorder::Place place = recorder->begin(call, *recordedGroup_, sequence_ + 1, begun);
  count(call.op);
  llvm::Expected<WorkPtr> work = serving.recording
                                     ? serving.recording->launchRecorded(std::move(call), {recorder, place, begun})
                                     : serving.backend->launch(std::move(call));
  if (!work)
    recorder->withdraw(place);
  if (!work || serving.recording)
    return work;
  return recordedWork(std::move(*work), {recorder, place, begun});
}

llvm::Error ProcessGroup::compareWithOthers(const GroupCall &call) {
  CallComparison comparison{*setup_.store, {setup_.name, setup_.members, rank_}, compared_++, call.timeout};
  return compareCalls(comparison, describeCall(call, sequence_));
}

// --- Collectives -----------------------------------------------------------------------------------------------------

namespace {

/// A list in braces would copy the tensor twice.
std::vector<Tensor> listOf(const Tensor &tensor) {
  std::vector<Tensor> list;
  list.push_back(tensor);
  return list;
}

/// A call of one tensor in place, made without lists that are moved.
GroupCall inPlaceOf(GroupOp op, const Tensor &tensor, Reduction reduction = {}) {
  GroupCall call;
  call.op = op;
  call.inputs.push_back(tensor);
  call.reduction = reduction;
  return call;
}

GroupCall callOf(GroupOp op, std::vector<Tensor> inputs, std::vector<Tensor> outputs) {
  GroupCall call;
  call.op = op;
  call.inputs = std::move(inputs);
  call.outputs = std::move(outputs);
  return call;
}

GroupCall reducing(GroupOp op, std::vector<Tensor> inputs, std::vector<Tensor> outputs, Reduction reduction) {
  GroupCall call = callOf(op, std::move(inputs), std::move(outputs));
  call.reduction = reduction;
  return call;
}

GroupCall rooted(GroupOp op, std::vector<Tensor> inputs, std::vector<Tensor> outputs, int64_t root) {
  GroupCall call = callOf(op, std::move(inputs), std::move(outputs));
  call.root = root;
  return call;
}

GroupCall transferring(GroupOp op, const Tensor &tensor, int64_t peer, int64_t tag) {
  bool sends = op == GroupOp::Send;
  GroupCall call = sends ? callOf(op, {tensor}, {}) : callOf(op, {}, {tensor});
  call.peer = peer;
  call.tag = tag;
  return call;
}

} // namespace

llvm::Expected<WorkPtr> ProcessGroup::allReduce(const Tensor &tensor, Reduction reduction, CallOptions options) {
  return issue(inPlaceOf(GroupOp::AllReduce, tensor, reduction), options);
}

llvm::Expected<WorkPtr> ProcessGroup::allReduceCoalesced(std::vector<Tensor> tensors, Reduction reduction,
                                                         CallOptions options) {
  return issue(reducing(GroupOp::AllReduceCoalesced, std::move(tensors), {}, reduction), options);
}

llvm::Expected<WorkPtr> ProcessGroup::reduce(const Tensor &tensor, int64_t root, Reduction reduction,
                                             CallOptions options) {
  GroupCall call = inPlaceOf(GroupOp::Reduce, tensor, reduction);
  call.root = root;
  return issue(std::move(call), options);
}

llvm::Expected<WorkPtr> ProcessGroup::broadcast(const Tensor &tensor, int64_t root, CallOptions options) {
  GroupCall call = inPlaceOf(GroupOp::Broadcast, tensor);
  call.root = root;
  return issue(std::move(call), options);
}

llvm::Expected<WorkPtr> ProcessGroup::allGather(std::vector<Tensor> outputs, const Tensor &input, CallOptions options) {
  return issue(callOf(GroupOp::AllGather, listOf(input), std::move(outputs)), options);
}

llvm::Expected<WorkPtr> ProcessGroup::allGatherIntoTensor(const Tensor &output, const Tensor &input,
                                                          CallOptions options) {
  return issue(callOf(GroupOp::AllGatherIntoTensor, listOf(input), listOf(output)), options);
}

llvm::Expected<WorkPtr> ProcessGroup::allGatherCoalesced(const std::vector<std::vector<Tensor>> &outputs,
                                                         std::vector<Tensor> inputs, CallOptions options) {
  std::vector<Tensor> all;
  bool fits = outputs.size() == setup_.members.size();
  for (const std::vector<Tensor> &ofMember : outputs) {
    fits = fits && ofMember.size() == inputs.size();
    all.insert(all.end(), ofMember.begin(), ofMember.end());
  }
  GroupCall call = callOf(GroupOp::AllGatherCoalesced, std::move(inputs), std::move(all));
  if (fits || !isMember())
    return issue(std::move(call), options);
  // The number of tensors may be right although the lists are not.
  llvm::Error error = checkCall(call, {rank_, numMembers()});
  return error ? std::move(error)
               : groupError("group.argument", groupOpName(call.op), "output lists should be equal to world size",
                            "give a list of as many tensors as inputs for each rank");
}

llvm::Expected<WorkPtr> ProcessGroup::allGatherIntoTensorCoalesced(std::vector<Tensor> outputs,
                                                                   std::vector<Tensor> inputs, CallOptions options) {
  return issue(callOf(GroupOp::AllGatherIntoTensorCoalesced, std::move(inputs), std::move(outputs)), options);
}

llvm::Expected<WorkPtr> ProcessGroup::gather(std::vector<Tensor> outputs, const Tensor &input, int64_t root,
                                             CallOptions options) {
  return issue(rooted(GroupOp::Gather, listOf(input), std::move(outputs), root), options);
}

llvm::Expected<WorkPtr> ProcessGroup::scatter(const Tensor &output, std::vector<Tensor> inputs, int64_t root,
                                              CallOptions options) {
  return issue(rooted(GroupOp::Scatter, std::move(inputs), listOf(output), root), options);
}

llvm::Expected<WorkPtr> ProcessGroup::reduceScatter(const Tensor &output, std::vector<Tensor> inputs,
                                                    Reduction reduction, CallOptions options) {
  return issue(reducing(GroupOp::ReduceScatter, std::move(inputs), listOf(output), reduction), options);
}

llvm::Expected<WorkPtr> ProcessGroup::reduceScatterTensor(const Tensor &output, const Tensor &input,
                                                          Reduction reduction, CallOptions options) {
  return issue(reducing(GroupOp::ReduceScatterTensor, listOf(input), listOf(output), reduction), options);
}

llvm::Expected<WorkPtr> ProcessGroup::reduceScatterTensorCoalesced(std::vector<Tensor> outputs,
                                                                   std::vector<Tensor> inputs, Reduction reduction,
                                                                   CallOptions options) {
  return issue(reducing(GroupOp::ReduceScatterTensorCoalesced, std::move(inputs), std::move(outputs), reduction),
               options);
}

llvm::Expected<WorkPtr> ProcessGroup::allToAll(std::vector<Tensor> outputs, std::vector<Tensor> inputs,
                                               CallOptions options) {
  return issue(callOf(GroupOp::AllToAll, std::move(inputs), std::move(outputs)), options);
}

llvm::Expected<WorkPtr> ProcessGroup::allToAllSingle(const Tensor &output, const Tensor &input, Splits splits,
                                                     CallOptions options) {
  GroupCall call = callOf(GroupOp::AllToAllSingle, listOf(input), listOf(output));
  call.inputSplits = std::move(splits.inputs);
  call.outputSplits = std::move(splits.outputs);
  return issue(std::move(call), options);
}

llvm::Expected<WorkPtr> ProcessGroup::barrier(CallOptions options) { return issue(GroupCall(), options); }

// --- Transfers -------------------------------------------------------------------------------------------------------

llvm::Expected<WorkPtr> ProcessGroup::send(const Tensor &tensor, int64_t peer, TransferOptions options) {
  if (!isMember())
    return groupError("group.argument", groupOpName(GroupOp::Send),
                      "Invalid process group specified: global rank " + std::to_string(setup_.job.rank) +
                          " does not belong to the given group",
                      "send in a group that both ranks belong to");
  return issue(transferring(GroupOp::Send, tensor, peer, options.tag), {options.timeout, options.device});
}

llvm::Expected<WorkPtr> ProcessGroup::recv(const Tensor &tensor, int64_t peer, TransferOptions options) {
  return issue(transferring(GroupOp::Recv, tensor, peer, options.tag), {options.timeout, options.device});
}

llvm::Expected<WorkPtr> ProcessGroup::recvAnySource(const Tensor &tensor, TransferOptions options) {
  return issue(transferring(GroupOp::RecvAnySource, tensor, -1, options.tag), {options.timeout, options.device});
}

llvm::Expected<std::vector<WorkPtr>> ProcessGroup::batch(const std::vector<Transfer> &transfers, CallOptions options) {
  std::vector<WorkPtr> works;
  for (const Transfer &transfer : transfers) {
    if (!isTransfer(transfer.op))
      return groupError("group.argument", "batch_isend_irecv",
                        "Invalid ``op``. Expected ``op`` to be isend or irecv, got " + groupOpName(transfer.op).str());
    llvm::Expected<WorkPtr> work =
        issue(transferring(transfer.op, transfer.tensor, transfer.peer, transfer.tag), options);
    if (!work)
      return work.takeError();
    works.push_back(std::move(*work));
  }
  return works;
}

// --- Monitored barrier -----------------------------------------------------------------------------------------------

// By the store: each rank sets its key, rank 0 waits for the keys one by one, and then sets the key for which the
// others wait. So it needs no backend that works.
llvm::Error ProcessGroup::monitoredBarrier(MonitoredBarrierOptions options) {
  if (!isMember()) {
    warnOutside("monitored_barrier");
    return llvm::Error::success();
  }
  const std::string *backend = setup_.config.find("cpu");
  if (!backend || (*backend != "local" && *backend != "mpi"))
    return groupError("group.unsupported", "monitored_barrier",
                      "monitored_barrier requires a group with a CPU-capable backend (e.g. local or mpi).");
  auto timeout = options.timeout.value_or(setup_.timeout);
  int64_t number = monitored_++;
  sequence_ += rank_ == 0 ? 2 * (numMembers() - 1) : 2;
  return rank_ == 0 ? awaitOthers(number, timeout, options.waitAllRanks) : awaitRankZero(number, timeout);
}

static std::string monitoredKey(int64_t number, const std::string &rank) {
  return "monitored_barrier/" + std::to_string(number) + "/" + rank;
}

llvm::Error ProcessGroup::awaitOthers(int64_t number, std::chrono::milliseconds timeout, bool all) {
  auto until = std::chrono::steady_clock::now() + timeout;
  std::vector<int64_t> missing;
  for (int64_t rank = 1; rank < numMembers() && (all || missing.empty()); ++rank) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    llvm::Error late = setup_.store->wait({monitoredKey(number, std::to_string(rank))}, std::max(left, left.zero()));
    if (late)
      missing.push_back(rank);
    llvm::consumeError(std::move(late));
  }
  std::string names;
  for (int64_t rank : missing)
    names += (names.empty() ? "" : ", ") + std::to_string(rank);
  std::string error = missing.empty()
                          ? ""
                          : "[Rank 0]: Rank" + std::string(missing.size() > 1 ? "s " : " ") + names +
                                " failed to pass monitoredBarrier in " + std::to_string(timeout.count()) + " ms";
  if (llvm::Error failed = setup_.store->set(monitoredKey(number, "result"), error))
    return failed;
  if (missing.empty())
    return llvm::Error::success();
  return groupError("run.deadline", "monitored_barrier", error,
                    "the named ranks of group " + setup_.name + " did not call it");
}

llvm::Error ProcessGroup::awaitRankZero(int64_t number, std::chrono::milliseconds timeout) {
  if (llvm::Error error = setup_.store->set(monitoredKey(number, std::to_string(rank_)), ""))
    return error;
  std::string reached = "Rank " + std::to_string(rank_) +
                        " successfully reached monitoredBarrier, but received errors while waiting for send/recv from "
                        "rank 0. Please check rank 0 logs for faulty rank.";
  std::string result = monitoredKey(number, "result");
  // Rank 0 may wait until its own deadline, and must then still be heard.
  if (llvm::Error late = setup_.store->wait({result}, timeout + std::chrono::seconds(1)))
    return groupError("run.deadline", "monitored_barrier", reached,
                      "rank 0 has not called it: " + llvm::toString(std::move(late)));
  llvm::Expected<std::string> text = setup_.store->get(result);
  if (!text)
    return text.takeError();
  return text->empty() ? llvm::Error::success() : groupError("run.deadline", "monitored_barrier", reached, *text);
}

} // namespace ccgraph::runtime
