#include "interpreter/rank_run.h"

#include "ccgraph/ir/subgraph_calls.h"
#include "kernels/calls.h"
#include "process/memory_limit.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {

using llvm::Twine;

RankRun::RankRun(const Setup &setup) : setup_(setup) { scopes_.emplace_back(*setup.graph); }

const Node *RankRun::position() const { return finished_ ? nullptr : scopes_.back().next; }

llvm::Error RankRun::error(const Node &node, llvm::StringRef rule, const std::string &message,
                           std::string repair) const {
  return makeError(
      diagnose(node, rule, (Twine("rank ") + Twine(setup_.rank) + ": " + message).str(), std::move(repair)));
}

// A node that stops has changed nothing, and is executed again at the rank's next turn, so no partial state is kept.
// The one exception is a synchronous collective, which has launched before it finds that others have not; its seats in
// synchronous_ show that only the second half remains.
llvm::Expected<bool> RankRun::advance() {
  bool progressed = false;
  while (!finished_) {
    const Node *node = scope().next;
    if (node == nullptr)
      return error(*setup_.graph->front(), "run.no-output", "the program ends without an output node",
                   "end it with an output node");
    blocking_ = nullptr;
    StepResult step = executeWithinMemory(*node);
    if (!step)
      return step.takeError();
    if (*step == Progress::Stopped)
      return progressed;
    progressed = true;
  }
  return progressed;
}

RankRun::StepResult RankRun::stopFor(const Communication *communication) {
  blocking_ = communication;
  return Progress::Stopped;
}

// Every value is held to its node's type. So a kernel or a type rule that is wrong shows at the node where it is
// wrong, and not where its result is at last compared.
RankRun::StepResult RankRun::yield(const Node &node, Value value) {
  if (std::string wrong = conform(node.type(), value, symbols_); !wrong.empty())
    return error(node, "run.type", std::move(wrong));
  scope().values[node.id()] = std::move(value);
  scope().next = node.next();
  releaseOperands(node);
  return Progress::Done;
}

RankRun::StepResult RankRun::executeWithinMemory(const Node &node) {
  // Sizes come from files, so kernels cannot predict the memory of a node.
  return withinMemory<Progress>([&] { return execute(node); },
                                [&](const std::string &asked) {
                                  return error(node, "run.memory", "needs " + asked + ", more than this run may hold",
                                               "run fewer ranks, or the program with smaller sizes");
                                });
}

RankRun::StepResult RankRun::execute(const Node &node) {
  auto take = [&](llvm::Expected<Value> value) -> StepResult {
    if (!value)
      return value.takeError();
    return yield(node, std::move(*value));
  };
  switch (node.opcode()) {
  case Opcode::Placeholder:
    return take(placeholderValue(node));
  case Opcode::GetAttr:
    return take(attributeValue(node));
  case Opcode::CallFunction:
    return executeCall(node);
  case Opcode::Output:
    return executeOutput(node);
  }
  return Progress::Done;
}

RankRun::StepResult RankRun::executeOutput(const Node &node) {
  bool whole = scopes_.size() == 1;
  // The caller waits for all launches that the graph leaves in flight.
  if (whole && inFlight_.blocking())
    return stopFor(inFlight_.blocking());
  if (whole)
    if (llvm::Error error = inFlight_.completeAll())
      return error;
  if (whole)
    hostCopies_.completeAll();
  for (const Node *operand : node.dataOperands())
    if (llvm::Error error = checkHostCopies(node, *operand, Access::Read))
      return error;
  Value value;
  if (!node.args().empty()) {
    llvm::Expected<Value> evaluated = evaluate(node, node.args().front(), scope(), symbols_);
    if (!evaluated)
      return evaluated.takeError();
    value = std::move(*evaluated);
  }
  if (whole) {
    result_ = std::move(value);
    finished_ = true;
    return Progress::Done;
  }
  return leaveSubgraph(std::move(value));
}

RankRun::StepResult RankRun::executeCall(const Node &node) {
  switch (node.op()->role) {
  case OpRole::Collective:
    return synchronous_.empty() ? executeCollective(node) : finishSynchronous(node);
  case OpRole::HostCopy:
    return executeHostCopy(node);
  case OpRole::Wait:
    return executeWait(node);
  case OpRole::ControlDeps:
    return enterSubgraph(node);
  case OpRole::HigherOrder:
    return subgraphCallsOf(node).use == SubgraphUse::None ? executeCompute(node) : enterSubgraph(node);
  case OpRole::Compute:
  case OpRole::GetItem:
    return executeCompute(node);
  }
  return Progress::Done;
}

// Tests all storages first, and only then completes any of them. Otherwise a wait on two tensors, one of which waits
// for another rank, would do half of its work at each attempt.
RankRun::StepResult RankRun::executeWait(const Node &node) {
  const Argument *waited = argumentAt(node, 0);
  if (waited == nullptr)
    return error(node, "run.arguments", "got no argument, expected what to wait for");
  llvm::Expected<Value> value = evaluate(node, *waited, scope(), symbols_);
  if (!value)
    return value.takeError();
  std::vector<const Storage *> storages;
  forEachTensor(*value, [&](const Tensor &tensor) { storages.push_back(tensor.storage()); });
  for (const Storage *storage : storages)
    if (const Communication *missing = inFlight_.blocking(storage))
      return stopFor(missing);
  for (const Storage *storage : storages)
    if (llvm::Error error = inFlight_.complete(storage))
      return error;
  if (llvm::Error error = completeHostCopies(node, storages))
    return error;
  return yield(node, std::move(*value));
}

RankRun::StepResult RankRun::executeCollective(const Node &node) {
  llvm::Expected<CallSite> site = callSite(node);
  if (!site)
    return site.takeError();
  if (llvm::Error error = checkAccesses(node, nullptr))
    return error;
  llvm::Expected<LaunchRequest> request = readLaunch(*site, *setup_.graph, *setup_.objects);
  if (!request)
    return request.takeError();
  for (int64_t member : request->group)
    if (member < 0 || member >= static_cast<int64_t>(setup_.numRanks))
      return error(node, "run.collective",
                   (Twine("group ") + intListText(request->group) + " contains rank " + Twine(member) + ", but only " +
                    Twine(setup_.numRanks) + (setup_.numRanks == 1 ? " rank runs" : " ranks run"))
                       .str(),
                   "run as many ranks as the groups name");
  if (llvm::Error error = join(*request))
    return error;
  if (!request->synchronous)
    return yield(node, std::move(request->result));
  synchronousResult_ = std::move(request->result);
  return finishSynchronous(node);
}

// Where results go into memory of the graph (an input, a buffer), that memory counts as written: a caller who holds it
// sees the change.
llvm::Error RankRun::join(LaunchRequest &request) {
  synchronous_.clear();
  for (LaunchRequest::Entry &entry : request.entries) {
    bool send = entry.launch.kind == CollectiveKind::Send;
    Communications::Channel channel{request.group, send ? setup_.rank : entry.peer, send ? entry.peer : setup_.rank,
                                    entry.launch.tag};
    llvm::Expected<Seat> seat = isPointToPoint(entry.launch.kind)
                                    ? setup_.communications->joinTransfer(channel, std::move(entry.launch))
                                    : setup_.communications->joinCollective(request.group, std::move(entry.launch));
    if (!seat)
      return seat.takeError();
    inFlight_.start(*seat);
    if (!request.ownMemory)
      for (const Buffer &row : seat->launch().receive)
        for (const Tensor &piece : row.pieces())
          written_.insert(piece.storage());
    if (request.synchronous)
      synchronous_.push_back(std::move(*seat));
  }
  return llvm::Error::success();
}

RankRun::StepResult RankRun::finishSynchronous(const Node &node) {
  for (const Seat &seat : synchronous_)
    if (!seat.communication->isReady())
      return stopFor(seat.communication.get());
  for (const Seat &seat : synchronous_)
    if (llvm::Error error = inFlight_.complete(seat))
      return error;
  synchronous_.clear();
  return yield(node, std::move(synchronousResult_));
}

RankRun::StepResult RankRun::executeRandom(const Node &node, const RandomOp &op) {
  llvm::Expected<CallSite> site = callSite(node);
  if (!site)
    return site.takeError();
  if (llvm::Error error = checkAccesses(node, nullptr))
    return error;
  llvm::Expected<Value> value = op.draw(*site, numbers_);
  if (!value)
    return value.takeError();
  return yield(node, std::move(*value));
}

// No provider takes a subgraph.
llvm::Error RankRun::noKernel(const Node &node) const {
  std::string target = node.target().str().str();
  if (!setup_.providers->empty() || llvm::StringRef(target).startswith("higher_order."))
    return error(node, "run.no-kernel", "no kernel computes " + target,
                 "a graph with this operator can be read, transformed and written, but not executed");
  return error(node, "run.no-kernel", "no builtin kernel computes " + target,
               node.op()->opaque ? "--kernels torch computes it if the installed PyTorch has it"
                                 : "--kernels torch computes every operator that PyTorch has");
}

llvm::Expected<KernelCall> RankRun::kernelCall(const Node &node) {
  KernelCall call;
  for (const Argument &argument : node.args()) {
    llvm::Expected<Value> value = evaluate(node, argument, scope(), symbols_);
    if (!value)
      return value.takeError();
    call.positional.push_back(std::move(*value));
  }
  for (const NamedArgument &argument : node.kwargs()) {
    llvm::Expected<Value> value = evaluate(node, argument.value, scope(), symbols_);
    if (!value)
      return value.takeError();
    call.keywords.emplace_back(argument.name.str().str(), std::move(*value));
  }
  return call;
}

RankRun::StepResult RankRun::executeCompute(const Node &node) {
  if (const RandomOp *random = findRandomOp(node.target().str()))
    return executeRandom(node, *random);
  const Kernel *kernel = findKernel(node.target().str());
  const ProvidedKernel *provided = kernel ? nullptr : findProvided(*setup_.providers, node.target().str());
  if (!kernel && !provided)
    return noKernel(node);
  llvm::Expected<KernelCall> call = kernelCall(node);
  if (!call)
    return call.takeError();
  // Whether reshape has read its operand shows only when its result is there: a view has read nothing, a copy has.
  bool shares = node.op()->mayAlias;
  if (!shares)
    if (llvm::Error error = checkAccesses(node, nullptr))
      return error;
  llvm::Expected<Value> value =
      kernel ? callWithinRun(*kernel, std::move(*call)) : callProvided(*provided, node, std::move(*call));
  if (!value)
    return error(node, "run.kernel", llvm::toString(value.takeError()));
  if (shares)
    if (llvm::Error error = checkAccesses(node, &*value))
      return error;
  noteWrites(node);
  return yield(node, std::move(*value));
}

} // namespace ccgraph::runtime
