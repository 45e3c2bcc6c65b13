#include "infer/families.h"

namespace ccgraph::infer {

namespace {

/// In row-major order, because the buffer is a view of consecutive elements (offload_ops.py, _maybe_pool_alloc).
TypePtr offloaded(const Call &call, const Type &tensor) {
  return call.contiguous(tensor.dtype(), tensor.sizes(), {call.context.identifier("cpu"), -1});
}

/// Returns the dimensions given for an optional list; those of the operand if it is left out.
std::optional<llvm::SmallVector<Dim, 6>> dimsOr(const Call &call, llvm::StringRef name, DimListRef otherwise) {
  if (!call.given(name))
    return llvm::SmallVector<Dim, 6>(otherwise.begin(), otherwise.end());
  return dimsAt(call.node, call.index(name));
}

TypePtr reloaded(Call &call, const Type &tensor) {
  const auto sizes = dimsOr(call, "original_size", tensor.sizes());
  if (!call.given("original_stride") && !tensor.stridesKnown())
    return nullptr;
  const auto strides = dimsOr(call, "original_stride", tensor.strides());
  if (!sizes || !strides)
    return nullptr;
  if (sizes->size() != strides->size())
    return call.refuse("gives " + llvm::Twine(sizes->size()) + " sizes and " + llvm::Twine(strides->size()) +
                           " strides; expected as many",
                       "give 'original_size' and 'original_stride' of the tensor that was offloaded");
  return call.context.tensor(tensor.dtype(), {*sizes, *strides, true}, call.deviceOr(tensor.device()));
}

} // namespace

TypePtr hostCopyType(Call &call) {
  const TypePtr tensor = call.tensor(0);
  if (!tensor)
    return nullptr;
  return call.node.op()->hostResult ? offloaded(call, *tensor) : reloaded(call, *tensor);
}

} // namespace ccgraph::infer
