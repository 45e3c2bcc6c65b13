#include "ccgraph/ir/region.h"

#include "ccgraph/ir/dims.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/graph.h"
#include "ops/knowledge.h"

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

/// Returns the bytes between the first element of the base tensor and that of the view.
using OffsetRule = std::optional<int64_t> (*)(const Node &view, const Type &from);

std::optional<int64_t> literal(const Node &node, int parameter, std::optional<int64_t> missing = std::nullopt) {
  const Argument *argument = argumentAt(node, parameter);
  if (!argument || argument->is(Argument::Kind::None))
    return missing;
  return argument->is(Argument::Kind::Int) ? std::optional<int64_t>(argument->integer()) : std::nullopt;
}

struct Axis {
  int64_t size = 0;
  int64_t stride = 0;
};

/// Returns the dimension that a view names at a parameter; empty if unknown.
std::optional<Axis> axisOf(const Node &view, int parameter, const Type &from) {
  if (mayBeReshapedBefore(*view.operand(0), view))
    return std::nullopt;
  auto dim = literal(view, parameter, 0);
  auto rank = static_cast<int64_t>(from.sizes().size());
  if (!dim || *dim < -rank || *dim >= rank)
    return std::nullopt;
  size_t index = static_cast<size_t>(*dim < 0 ? *dim + rank : *dim);
  if (!from.sizes()[index].isStatic() || !from.strides()[index].isStatic())
    return std::nullopt;
  return Axis{from.sizes()[index].value(), from.strides()[index].value()};
}

std::optional<int64_t> atStart(const Node &, const Type &) { return 0; }

/// Counts from the end if negative, and clamps to the dimension.
std::optional<int64_t> atIndex(const Node &view, const Type &from) {
  auto axis = axisOf(view, 1, from);
  auto index = literal(view, 2, 0);
  if (!axis || !index)
    return std::nullopt;
  int64_t row = *index < 0 ? *index + axis->size : *index;
  int64_t elements = saturatingMultiply(std::clamp<int64_t>(row, 0, axis->size), axis->stride);
  return saturatingMultiply(elements, sizeInBytes(from.dtype()));
}

struct ViewEntry {
  llvm::StringLiteral key; ///< base
  OffsetRule offset;
};

/// The offset of a view that is not listed is unknown, and regionOf is empty for all values behind it.
constexpr ViewEntry views[] = {
    {"aten._unsafe_view", atStart}, {"aten.alias", atStart},
    {"aten.detach", atStart},       {"aten.expand", atStart},
    {"aten.narrow", atIndex},       {"aten.permute", atStart},
    {"aten.select", atIndex},       {"aten.slice", atIndex},
    {"aten.squeeze", atStart},      {"aten.t", atStart},
    {"aten.transpose", atStart},    {"aten.unsqueeze", atStart},
    {"aten.view", atStart},         {"aten.view_as_complex", atStart},
    {"aten.view_as_real", atStart},
};

struct ReshapeEntry {
  llvm::StringLiteral key; ///< base
};

/// In-place changes of shape that keep the tensor's elements.
constexpr ReshapeEntry keepElements[] = {
    {"aten.squeeze_"}, {"aten.swapaxes_"}, {"aten.swapdims_"}, {"aten.t_"}, {"aten.transpose_"}, {"aten.unsqueeze_"},
};

/// How the elements of a list of views divide a dimension.
enum class Parting : uint8_t {
  /// split: parts of a given number of rows, or of the rows that a list states
  Rows,
  /// chunk: a given number of parts of equal length, except the last
  Count,
  /// unbind: a row each
  Each,
};

struct PartsEntry {
  llvm::StringLiteral key; ///< base
  Parting parting;
  /// parameter of the dimension
  int8_t dim;
};

constexpr PartsEntry partings[] = {
    {"aten.chunk", Parting::Count, 2},
    {"aten.split", Parting::Rows, 2},
    {"aten.split_with_sizes", Parting::Rows, 2},
    {"aten.unbind", Parting::Each, 1},
    {"aten.unsafe_chunk", Parting::Count, 2},
    {"aten.unsafe_split", Parting::Rows, 2},
    {"aten.unsafe_split_with_sizes", Parting::Rows, 2},
};

/// Returns the rows before part `index` of a split.
std::optional<int64_t> splitRows(const Node &list, int64_t index) {
  const Argument *sizes = argumentAt(list, 1);
  if (sizes && sizes->is(Argument::Kind::Int))
    return saturatingMultiply(index, sizes->integer());
  if (!sizes || !sizes->isSequence() || static_cast<size_t>(index) >= sizes->elements().size())
    return std::nullopt;
  int64_t rows = 0;
  for (const Argument &size : sizes->elements().take_front(static_cast<size_t>(index))) {
    if (!size.is(Argument::Kind::Int))
      return std::nullopt;
    rows = saturatingAdd(rows, size.integer());
  }
  return rows;
}

std::optional<int64_t> rowsBefore(const Node &list, Parting parting, const Axis &axis, int64_t index) {
  switch (parting) {
  case Parting::Rows:
    return splitRows(list, index);
  case Parting::Count: {
    auto count = literal(list, 1);
    return count && *count > 0 ? std::optional(saturatingMultiply(index, (axis.size + *count - 1) / *count))
                               : std::nullopt;
  }
  case Parting::Each:
    return index;
  }
  return std::nullopt;
}

/// Returns the offset of a list's element. In split(x, n), element i begins at row i * n; in split_with_sizes, after
/// the earlier elements; in unbind, at row i.
std::optional<int64_t> elementOffset(const Node &getItem, const Node &list, const PartsEntry &entry, const Type &from) {
  auto index = getItemIndex(getItem);
  std::optional<Axis> axis = axisOf(list, entry.dim, from);
  std::optional<int64_t> rows = index && axis ? rowsBefore(list, entry.parting, *axis, *index) : std::nullopt;
  if (!rows)
    return std::nullopt;
  return saturatingMultiply(saturatingMultiply(*rows, axis->stride), sizeInBytes(from.dtype()));
}

const PartsEntry *partsOf(const Node &node) {
  return node.op() ? findEntry(llvm::ArrayRef(partings), baseOf(node.op()->target.str())) : nullptr;
}

const Type *stridedType(const Node &value) {
  const Type *type = value.type();
  return type && type->isTensor() && type->stridesKnown() ? type : nullptr;
}

/// The base of a view, and the view's place in it.
struct Step {
  const Node *from = nullptr;
  std::optional<int64_t> bytes;
  /// counted from the start of the storage
  bool fromStorage = false;
};

/// In-place forms, filled buffers and waits return their one input tensor. Proven views of other kinds return a tensor
/// that begins at the same place.
std::optional<Step> sharedStep(const Node &node) {
  Effects effects = effectsOf(node);
  llvm::SmallVector<const Node *, 2> shared;
  for (unsigned i = 0; i < node.numOperands(); ++i)
    if (has(effects.operands[i], Access::Alias))
      shared.push_back(node.operand(i));
  if (shared.empty())
    return std::nullopt;
  bool one = shared.size() == 1 && !effects.freshResult;
  return Step{one ? shared[0] : nullptr, one ? std::optional<int64_t>(0) : std::nullopt};
}

/// Returns true if a known operator creates a list of new tensors, like _foreach_neg.
bool makesElements(const Node &list) {
  if (!list.op() || list.op()->opaque || list.op()->role != OpRole::Compute || partsOf(list))
    return false;
  Effects effects = effectsOf(list);
  return effects.freshResult &&
         llvm::none_of(effects.operands, [](Access access) { return has(access, Access::Alias); });
}

/// Returns the step from an element to its list's operand. An element of a list of new tensors has storage of its own;
/// an element of a split lies in the operand.
std::optional<Step> elementStep(const Node &getItem) {
  const Node &list = *getItem.operand(0);
  if (makesElements(list) || (list.op() && list.op()->collective && list.op()->freshResult))
    return std::nullopt;
  const PartsEntry *entry = list.numOperands() ? partsOf(list) : nullptr;
  const Type *from = entry ? stridedType(*list.operand(0)) : nullptr;
  return from ? Step{list.operand(0), elementOffset(getItem, list, *entry, *from)} : Step{};
}

Step stridedStep(const Node &node) {
  const Argument *given = argumentAt(node, 3);
  if (!given || given->is(Argument::Kind::None))
    return {node.operand(0), 0};
  std::optional<int64_t> elements = literal(node, 3);
  if (!elements || !node.type() || !node.type()->isTensor())
    return {};
  return {node.operand(0), saturatingMultiply(*elements, sizeInBytes(node.type()->dtype())), /*fromStorage=*/true};
}

/// Returns an empty value where a chain begins.
std::optional<Step> stepOf(const Node &node) {
  if (!node.op() || node.numOperands() == 0)
    return std::nullopt;
  if (isGetItem(node))
    return elementStep(node);
  if (!node.op()->isView || node.op()->role != OpRole::Compute)
    return sharedStep(node);
  llvm::StringRef base = baseOf(node.op()->target.str());
  if (base == "aten.as_strided")
    return stridedStep(node);
  const Node &operand = *node.operand(0);
  const ViewEntry *entry = findEntry(llvm::ArrayRef(views), base);
  const Type *from = stridedType(operand);
  return Step{&operand, entry && from ? entry->offset(node, *from) : std::nullopt};
}

/// Returns true if a known operator has just allocated the tensor. It then begins where its storage does.
bool beginsItsStorage(const Node &value) {
  const OpDef *op = value.op();
  bool known = op && !op->opaque && op->shape && (op->role == OpRole::Compute || op->role == OpRole::Collective);
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
    return reshaper.isBefore(&reader) && !findEntry(llvm::ArrayRef(keepElements), baseOf(reshaper.target().str()));
  };
  if (!bytes || mayBeReshapedBy(value, mayMove))
    return std::nullopt;
  Region region{&value, 0, 0, false};
  while (std::optional<Step> step = stepOf(*region.base)) {
    if (!step->from || (!step->bytes && !region.fromStorage))
      return std::nullopt;
    region.begin = region.fromStorage ? region.begin : saturatingAdd(region.begin, *step->bytes);
    region.fromStorage |= step->fromStorage;
    region.base = step->from;
  }
  region.fromStorage |= beginsItsStorage(*region.base);
  region.end = saturatingAdd(region.begin, *bytes);
  return region;
}

} // namespace ccgraph
