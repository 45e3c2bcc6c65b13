#include "storages/region.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/internal/view_geometry.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace ccgraph {
namespace {

// A value is followed from view to base tensor up to a value that is no view, its base, and the byte distances between
// the starts are added up. With b = f32[8, 4][4, 1]:
//   s = slice(b, 0, 4, 8)    begins at row 4 of 16 bytes each:                    64
//   r = select(s, 0, 1)      begins at row 1 of s: 16 bytes on, at                80
// and r ends 16 bytes later, one row of 4 elements: its region is b, 80 to 96. select(b, 0, 4) is at 64 to 80, so a
// launch may fill it while another one fills r.
//
// An as_strided in the chain counts from the start of the storage. So earlier offsets do not matter, and the traversal
// continues only to find the base.

const Type *stridedType(const Node &value) {
  const Type *type = value.type();
  return type && type->isTensor() && type->stridesKnown() ? type : nullptr;
}

/// The base of a view, and the view's place in it.
struct ViewBase {
  const Node *from = nullptr;
  std::optional<int64_t> bytes;
  /// counted from the start of the storage
  bool fromStorage = false;
};

/// In-place forms, filled buffers and waits return their one input tensor. Proven views of other kinds return a tensor
/// that begins at the same place.
std::optional<ViewBase> sharedBase(const Node &node) {
  Effects effects = effectsOf(node);
  llvm::SmallVector<const Node *, 2> shared;
  for (unsigned i = 0; i < node.numOperands(); ++i)
    if (has(effects.operands[i], Access::Alias))
      shared.push_back(node.operand(i));
  if (shared.empty())
    return std::nullopt;
  bool one = shared.size() == 1 && !effects.freshResult;
  return ViewBase{one ? shared[0] : nullptr, one ? std::optional<int64_t>(0) : std::nullopt};
}

/// Returns true if a known operator creates a list of new tensors, like _foreach_neg.
bool makesElements(const Node &list) {
  if (!list.op() || list.op()->opaque || list.op()->role != OpRole::Compute || list.op()->view)
    return false;
  Effects effects = effectsOf(list);
  return effects.freshResult &&
         llvm::none_of(effects.operands, [](Access access) { return has(access, Access::Alias); });
}

/// Returns the bytes from the start of the viewed tensor to that of the view. The bytes are unknown if they depend on
/// strides that are unknown, or that an earlier node may have changed in place.
ViewBase viewBase(const Node &view, unsigned element) {
  const Argument *first = argumentAt(view, 0);
  const Node *viewed = first && first->is(Argument::Kind::Operand) ? view.operand(*first) : nullptr;
  const Type *strided = viewed ? stridedType(*viewed) : nullptr;
  const Type *from = strided ? strided : stridedType(view);
  std::optional<ViewOffset> offset = viewed && from ? viewOffset(view, element, *from) : std::nullopt;
  if (!offset || !offset->elements.isStatic() ||
      (offset->readsStrides && (!strided || mayBeReshapedBefore(*viewed, view))))
    return {viewed};
  return {viewed, saturatingMultiply(offset->elements.value(), sizeInBytes(from->dtype())), offset->fromStorage};
}

/// Returns the base of an element: the operand of its list. An element of a list of new tensors has storage of its own;
/// an element of a split lies in the operand.
std::optional<ViewBase> elementBase(const Node &getItem) {
  const Node &list = *getItem.operand(0);
  if (makesElements(list) || (list.op() && list.op()->collective && list.op()->freshResult))
    return std::nullopt;
  std::optional<int64_t> index = getItemIndex(getItem);
  return list.op() && list.op()->view && index ? viewBase(list, static_cast<unsigned>(*index)) : ViewBase{};
}

/// Returns an empty value where a chain begins.
std::optional<ViewBase> baseOf(const Node &node) {
  if (!node.op() || node.numOperands() == 0)
    return std::nullopt;
  if (isGetItem(node))
    return elementBase(node);
  if (!node.op()->isView || node.op()->role != OpRole::Compute)
    return sharedBase(node);
  return viewBase(node, 0);
}

/// Returns true if a known operator has just allocated the tensor. It then begins where its storage does.
bool beginsItsStorage(const Node &value) {
  const OpDef *op = value.op();
  bool known =
      op && !op->opaque && op->typeIsCertain && (op->role == OpRole::Compute || op->role == OpRole::Collective);
  return known && value.type() && value.type()->isTensor() && effectsOf(value).freshResult;
}

/// Returns the bytes from the first element of a tensor to the last.
std::optional<int64_t> span(const Type &type) {
  int64_t elements = 1;
  for (auto [size, stride] : llvm::zip(type.sizes(), type.strides())) {
    if (!size.isStatic() || !stride.isStatic())
      return std::nullopt;
    if (size.value() == 0)
      return 0;
    elements = saturatingAdd(elements, saturatingMultiply(size.value() - 1, stride.value()));
  }
  return saturatingMultiply(elements, sizeInBytes(type.dtype()));
}

} // namespace

std::optional<Region> regionOf(const Node &value, const Node &reader) {
  const Type *type = stridedType(value);
  std::optional<int64_t> bytes = type ? span(*type) : std::nullopt;
  auto mayMove = [&](const Node &reshaper) {
    return reshaper.isBefore(&reader) && !(reshaper.op() && reshaper.op()->rearranges);
  };
  if (!bytes || mayBeReshapedBy(value, mayMove))
    return std::nullopt;
  Region region{&value, 0, 0, false};
  while (std::optional<ViewBase> base = baseOf(*region.base)) {
    if (!base->from || (!base->bytes && !region.fromStorage))
      return std::nullopt;
    region.begin = region.fromStorage ? region.begin : saturatingAdd(region.begin, *base->bytes);
    region.fromStorage |= base->fromStorage;
    region.base = base->from;
  }
  region.fromStorage |= beginsItsStorage(*region.base);
  region.end = saturatingAdd(region.begin, *bytes);
  return region;
}

} // namespace ccgraph
