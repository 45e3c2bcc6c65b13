#include "interpreter/rank_run.h"

#include "ccgraph/ir/strides.h"

namespace ccgraph::runtime {

namespace {

/// The layout of a copy's result.
struct CopyLayout {
  IntList sizes;
  IntList strides;
};

/// Returns the sizes and strides of ao.reload; those of the host's tensor where they are left out.
llvm::Expected<CopyLayout> reloadLayout(const CallSite &site, const Tensor &from) {
  CopyLayout layout{toIntList(from.sizes()), toIntList(from.strides())};
  constexpr int size = 2, stride = 3;
  for (auto [parameter, list] : {std::pair(size, &layout.sizes), std::pair(stride, &layout.strides)}) {
    const Value *given = site.argument(parameter);
    if (!given || given->isNone())
      continue;
    llvm::Expected<std::vector<int64_t>> numbers = site.integers(parameter);
    if (!numbers)
      return numbers.takeError();
    *list = toIntList(*numbers);
  }
  if (IntListRef(layout.sizes) != from.sizes() || layout.strides.size() != layout.sizes.size())
    return site.wrongArgument(size, "the sizes of the tensor that was offloaded, " + intListText(from.sizes()));
  return layout;
}

} // namespace

// offload_ops.py: the host's buffer is row-major; reload makes empty_strided(size, stride).
RankRun::StepResult RankRun::executeHostCopy(const Node &node) {
  llvm::Expected<CallSite> site = callSite(node);
  if (!site)
    return site.takeError();
  const Value *operand = site->argument(0);
  if (!operand || !operand->is(Value::Kind::Tensor))
    return site->wrongArgument(0, "a tensor");
  if (llvm::Error error = checkAccesses(node, nullptr))
    return error;
  const Tensor &from = operand->tensor();
  CopyLayout layout{toIntList(from.sizes()), contiguousStrides(from.sizes())};
  if (!isOffload(node)) {
    llvm::Expected<CopyLayout> stated = reloadLayout(*site, from);
    if (!stated)
      return stated.takeError();
    layout = std::move(*stated);
  }
  Tensor to = Tensor::zeros(from.dtype(), layout.sizes, layout.strides);
  hostCopies_.start(node, from, to);
  return yield(node, Value(std::move(to)));
}

llvm::Error RankRun::completeHostCopies(const Node &wait, llvm::ArrayRef<const Storage *> storages) {
  if (wait.op()->frees < 0)
    return llvm::Error::success();
  bool any = false;
  for (const Storage *storage : storages)
    any |= hostCopies_.complete(storage);
  if (!any)
    return error(wait, "run.no-copy",
                 "waits for a copy to or from the host, but none is in flight in what it is given, "
                 "which PyTorch rejects",
                 "wait once for each ao.offload and ao.reload");
  const Node *freed = freedBy(wait);
  if (!freed)
    return llvm::Error::success();
  if (llvm::Error error = checkAccesses(wait, nullptr))
    return error;
  forEachTensor(valueOf(*freed), [&](const Tensor &tensor) { hostCopies_.free(wait, tensor); });
  return llvm::Error::success();
}

llvm::Error RankRun::checkHostCopies(const Node &node, const Node &operand, Access access) const {
  if (hostCopies_.empty())
    return llvm::Error::success();
  const bool writes = hasAny(access, Access::Write | Access::InFlightWrite);
  llvm::Error failure = llvm::Error::success();
  forEachTensor(valueOf(operand), [&](const Tensor &tensor) {
    if (failure)
      return;
    const std::string uses = (writes ? "writes `" : "reads `") + operand.name().str().str() + "`, ";
    auto name = [](const Node *copy) { return "`" + copy->name().str().str() + "`"; };
    if (const Node *wait = hostCopies_.freedBy(tensor))
      failure = error(node, "run.freed", uses + "whose memory " + name(wait) + " has freed",
                      "use it before that wait, or use what comes back from the host");
    else if (const Node *copy = hostCopies_.writer(tensor))
      failure = error(node, "run.in-flight-result", uses + "which the copy " + name(copy) + " has in flight",
                      "wait for it first: only views, getitem and waits may use it before");
    else if (const Node *copy = writes ? hostCopies_.reader(tensor) : nullptr)
      failure = error(node, "run.in-flight-input", uses + "which the copy " + name(copy) + " still reads",
                      "write after the wait on " + name(copy));
  });
  return failure;
}

} // namespace ccgraph::runtime
