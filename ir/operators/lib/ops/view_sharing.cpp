#include "ops/view_sharing.h"

#include "ccgraph/ir/node.h"

namespace ccgraph {
namespace {

const Type *tensorOperand(const Node &node) {
  const Type *type = node.numOperands() ? node.operand(0)->type() : nullptr;
  return type && type->isTensor() ? type : nullptr;
}

const Type *tensorResult(const Node &node) { return node.type() && node.type()->isTensor() ? node.type() : nullptr; }

} // namespace

std::optional<IntList> viewStrides(const Type &from, IntListRef to) {
  auto sizes = staticDims(from.sizes());
  auto strides = staticDims(from.strides());
  if (!sizes || !strides || !from.stridesKnown())
    return std::nullopt;
  return viewStrides(*sizes, *strides, to);
}

// reshape returns a view if the new shape has strides (see torch.Tensor.view), else a copy. For x = f32[4, 6] with
// strides [6, 1], reshape(x, [24]) is a view; for its transpose, f32[6, 4][1, 6], it is a copy.
Sharing reshapeSharing(const Node &node) {
  const Type *from = tensorOperand(node);
  if (!from || !from->stridesKnown())
    return Sharing::Unknown;
  if (from->isContiguous())
    return Sharing::View;
  const Type *to = tensorResult(node);
  auto sizes = to ? staticDims(to->sizes()) : std::nullopt;
  if (!sizes || !staticDims(from->sizes()) || !staticDims(from->strides()))
    return Sharing::Unknown;
  return viewStrides(*from, *sizes) ? Sharing::View : Sharing::Copy;
}

Sharing contiguousSharing(const Node &node) {
  const Type *from = tensorOperand(node);
  const Argument *format = argumentAt(node, node.op()->paramIndex("memory_format"));
  bool rowMajor = !format || (format->is(Argument::Kind::MemoryFormat) && format->text() == "contiguous_format");
  if (!from || !from->stridesKnown() || !rowMajor)
    return Sharing::Unknown;
  if (from->isContiguous())
    return Sharing::View;
  return staticDims(from->sizes()) && staticDims(from->strides()) ? Sharing::Copy : Sharing::Unknown;
}

// to() returns the tensor itself if nothing changes (torch.Tensor.to). It certainly copies if dtype or device differ.
// An unnamed device may be another device, and memory_format may require other strides. So it is a view only if the two
// types are equal.
Sharing castSharing(const Node &node) {
  const Type *from = tensorOperand(node);
  const Type *to = tensorResult(node);
  if (!from || !to)
    return Sharing::Unknown;
  const Argument *copy = argumentAt(node, node.op()->paramIndex("copy"));
  bool copies = copy && copy->is(Argument::Kind::Bool) && copy->boolean();
  bool deviceKnown = from->device().kind && to->device().kind;
  if (copies || from->dtype() != to->dtype() || (deviceKnown && from->device() != to->device()))
    return Sharing::Copy;
  bool decided = deviceKnown && (!copy || copy->is(Argument::Kind::Bool));
  return decided && from->stridesKnown() && from == to ? Sharing::View : Sharing::Unknown;
}

} // namespace ccgraph
