#include "ccgraph/ir/internal/view_geometry.h"

#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/min_max.h"
#include "ops/arguments.h"
#include "ops/knowledge.h"

#include <algorithm>

namespace ccgraph {
namespace {

struct Axis {
  Dim size;
  Dim stride;
};

std::optional<Axis> axisAt(const Node &view, int parameter, int64_t missing, const Type &from) {
  std::optional<Dim> dim = numberAt(view, parameter, Dim(missing));
  auto rank = static_cast<int64_t>(from.sizes().size());
  if (!dim || !dim->isStatic() || dim->value() < -rank || dim->value() >= rank)
    return std::nullopt;
  auto index = static_cast<size_t>(dim->value() < 0 ? dim->value() + rank : dim->value());
  return Axis{from.sizes()[index], from.strides()[index]};
}

/// Counted from the front: a negative index counts from the end.
Dim fromFront(Context &context, const Dim &index, const Dim &size) {
  return index.isStatic() && index.value() < 0 ? add(context, size, index) : index;
}

/// Within [0, size], as Python's slices are.
Dim clipped(Context &context, const Dim &index, const Dim &size) {
  if (index.isStatic() && size.isStatic())
    return std::clamp<int64_t>(index.value(), 0, size.value());
  if (index == Dim(0))
    return index;
  return minimum(context, maximum(context, index, Dim(0)), size);
}

std::optional<ViewOffset> alongAxis(const Node &view, const Dim &rows, const Axis &axis) {
  return ViewOffset{multiply(contextOf(view), rows, axis.stride), /*fromStorage=*/false, /*readsStrides=*/true};
}

std::optional<ViewOffset> atStart(const Node &, unsigned, const Type &) { return ViewOffset{0}; }

/// select and narrow: a row.
std::optional<ViewOffset> atRow(const Node &view, unsigned, const Type &from) {
  std::optional<Axis> axis = axisAt(view, 1, 0, from);
  std::optional<Dim> row = numberAt(view, 2);
  if (!axis || !row)
    return std::nullopt;
  return alongAxis(view, fromFront(contextOf(view), *row, axis->size), *axis);
}

std::optional<ViewOffset> atSlice(const Node &view, unsigned, const Type &from) {
  std::optional<Axis> axis = axisAt(view, 1, 0, from);
  std::optional<Dim> start = numberAt(view, 2, Dim(0));
  if (!axis || !start)
    return std::nullopt;
  Context &context = contextOf(view);
  return alongAxis(view, clipped(context, fromFront(context, *start, axis->size), axis->size), *axis);
}

/// The rows before part `element`: parts of one length, or of those listed.
std::optional<Dim> rowsBefore(const Node &split, unsigned element) {
  if (std::optional<Dim> length = numberAt(split, 1))
    return multiply(contextOf(split), Dim(element), *length);
  const Argument *lengths = argumentAt(split, 1);
  if (!lengths || !lengths->isSequence() || element >= lengths->elements().size())
    return std::nullopt;
  Dim rows = 0;
  for (const Argument &length : lengths->elements().take_front(element)) {
    std::optional<Dim> number = dimOf(split, length);
    if (!number)
      return std::nullopt;
    rows = add(contextOf(split), rows, *number);
  }
  return rows;
}

std::optional<ViewOffset> atPart(const Node &view, unsigned element, const Type &from) {
  std::optional<Axis> axis = axisAt(view, 2, 0, from);
  std::optional<Dim> rows = rowsBefore(view, element);
  return axis && rows ? alongAxis(view, *rows, *axis) : std::nullopt;
}

std::optional<ViewOffset> atChunk(const Node &view, unsigned element, const Type &from) {
  std::optional<Axis> axis = axisAt(view, 2, 0, from);
  std::optional<Dim> count = numberAt(view, 1);
  if (!axis || !count || !count->isStatic() || count->value() <= 0 || !axis->size.isStatic())
    return std::nullopt;
  int64_t rows = (axis->size.value() + count->value() - 1) / count->value();
  return alongAxis(view, Dim(saturatingMultiply(rows, element)), *axis);
}

std::optional<ViewOffset> atUnbound(const Node &view, unsigned element, const Type &from) {
  std::optional<Axis> axis = axisAt(view, 1, 0, from);
  return axis ? alongAxis(view, Dim(element), *axis) : std::nullopt;
}

/// tensor_split into sections: the first of them have one row more where the rows do not divide evenly.
std::optional<Dim> rowsBeforeSection(int64_t rows, int64_t sections, unsigned element) {
  if (sections <= 0)
    return std::nullopt;
  return Dim(saturatingAdd(saturatingMultiply(element, rows / sections), std::min<int64_t>(element, rows % sections)));
}

/// tensor_split at indices: a part begins at the index before it.
std::optional<Dim> rowsBeforeIndex(const Node &view, const Argument &indices, const Dim &rows, unsigned element) {
  if (element == 0)
    return Dim(0);
  if (element > indices.elements().size())
    return std::nullopt;
  std::optional<Dim> index = dimOf(view, indices.elements()[element - 1]);
  Context &context = contextOf(view);
  return index ? std::optional(clipped(context, fromFront(context, *index, rows), rows)) : std::nullopt;
}

std::optional<ViewOffset> atSectionOf(const Node &view, unsigned element, const std::optional<Axis> &axis) {
  const Argument *parts = argumentAt(view, 1);
  if (!axis || !axis->size.isStatic() || !parts)
    return std::nullopt;
  std::optional<Dim> count = dimOf(view, *parts);
  std::optional<Dim> rows;
  if (parts->isSequence())
    rows = rowsBeforeIndex(view, *parts, axis->size, element);
  else if (count && count->isStatic())
    rows = rowsBeforeSection(axis->size.value(), count->value(), element);
  return rows ? alongAxis(view, *rows, *axis) : std::nullopt;
}

std::optional<Axis> axisOf(const Type &from, size_t index) {
  return index < from.sizes().size() ? std::optional(Axis{from.sizes()[index], from.strides()[index]}) : std::nullopt;
}

std::optional<ViewOffset> atSection(const Node &view, unsigned element, const Type &from) {
  return atSectionOf(view, element, axisAt(view, 2, 0, from));
}

std::optional<ViewOffset> atRowSection(const Node &view, unsigned element, const Type &from) {
  return atSectionOf(view, element, axisOf(from, 0));
}

/// hsplit: of a vector along its only dimension.
std::optional<ViewOffset> atColumnSection(const Node &view, unsigned element, const Type &from) {
  return atSectionOf(view, element, axisOf(from, from.sizes().size() == 1 ? 0 : 1));
}

std::optional<ViewOffset> atDepthSection(const Node &view, unsigned element, const Type &from) {
  return atSectionOf(view, element, axisOf(from, 2));
}

/// Of complex numbers the result shows the conjugates, which lie nowhere.
std::optional<ViewOffset> atStartOfReal(const Node &, unsigned, const Type &from) {
  return isComplex(from.dtype()) ? std::nullopt : std::optional(ViewOffset{0});
}

std::optional<ViewOffset> atDiagonal(const Node &view, unsigned, const Type &from) {
  std::optional<Dim> offset = numberAt(view, 1, Dim(0));
  std::optional<Axis> row = axisAt(view, 2, 0, from), column = axisAt(view, 3, 1, from);
  if (!offset || !offset->isStatic() || !row || !column)
    return std::nullopt;
  bool below = offset->value() < 0;
  return alongAxis(view, Dim(below ? -offset->value() : offset->value()), below ? *row : *column);
}

/// as_strided: without an offset it keeps the tensor's own.
std::optional<ViewOffset> asStated(const Node &view, unsigned, const Type &) {
  const Argument *given = argumentAt(view, 3);
  if (!given || given->is(Argument::Kind::None))
    return ViewOffset{0};
  std::optional<Dim> stated = dimOf(view, *given);
  return stated ? std::optional(ViewOffset{*stated, /*fromStorage=*/true}) : std::nullopt;
}

struct ViewEntry {
  llvm::StringLiteral key; ///< base
  ViewRule offset;
};

constexpr ViewEntry views[] = {
    {"aten._reshape_alias", atStart},
    {"aten._unsafe_view", atStart},
    {"aten.adjoint", atStartOfReal},
    {"aten.alias", atStart},
    {"aten.as_strided", asStated},
    {"aten.atleast_1d", atStart},
    {"aten.atleast_2d", atStart},
    {"aten.atleast_3d", atStart},
    {"aten.broadcast_tensors", atStart},
    {"aten.broadcast_to", atStart},
    {"aten.chunk", atChunk},
    {"aten.contiguous", atStart},
    {"aten.detach", atStart},
    {"aten.diagonal", atDiagonal},
    {"aten.dsplit", atDepthSection},
    {"aten.expand", atStart},
    {"aten.expand_as", atStart},
    {"aten.flatten", atStart},
    {"aten.hsplit", atColumnSection},
    {"aten.lift_fresh", atStart},
    {"aten.mH", atStartOfReal},
    {"aten.mT", atStart},
    {"aten.matrix_H", atStartOfReal},
    {"aten.moveaxis", atStart},
    {"aten.movedim", atStart},
    {"aten.narrow", atRow},
    {"aten.numpy_T", atStart},
    {"aten.permute", atStart},
    {"aten.ravel", atStart},
    {"aten.real", atStart},
    {"aten.reshape", atStart},
    {"aten.reshape_as", atStart},
    {"aten.select", atRow},
    {"aten.slice", atSlice},
    {"aten.split", atPart},
    {"aten.split_with_sizes", atPart},
    {"aten.squeeze", atStart},
    {"aten.swapaxes", atStart},
    {"aten.swapdims", atStart},
    {"aten.t", atStart},
    {"aten.tensor_split", atSection},
    {"aten.to", atStart},
    {"aten.transpose", atStart},
    {"aten.type_as", atStart},
    {"aten.unbind", atUnbound},
    {"aten.unflatten", atStart},
    {"aten.unfold", atStart},
    {"aten.unsafe_chunk", atChunk},
    {"aten.unsafe_split", atPart},
    {"aten.unsafe_split_with_sizes", atPart},
    {"aten.unsqueeze", atStart},
    {"aten.view", atStart},
    {"aten.view_as", atStart},
    {"aten.view_as_complex", atStart},
    {"aten.view_as_real", atStart},
    {"aten.vsplit", atRowSection},
    {"prims.as_strided", asStated},
    {"prims.broadcast_in_dim", atStart},
    {"prims.collapse_view", atStart},
    {"prims.device_put", atStart},
    {"prims.split_dim", atStart},
    {"prims.squeeze", atStart},
    {"prims.transpose", atStart},
    {"prims.view_of", atStart},
    {"prims.view_of_dtype", atStart},
};

/// In-place changes of shape after which each element stays where it is; sorted.
struct RearrangingEntry {
  llvm::StringLiteral key; ///< base
};
constexpr RearrangingEntry rearranging[] = {
    {"aten.squeeze_"}, {"aten.swapaxes_"}, {"aten.swapdims_"}, {"aten.t_"}, {"aten.transpose_"}, {"aten.unsqueeze_"},
};

} // namespace

void applyViews(const OpDraft &draft) {
  const ViewEntry *entry = findEntry(llvm::ArrayRef(views), draft.base);
  draft.op.view = entry ? entry->offset : nullptr;
  draft.op.rearranges = findEntry(llvm::ArrayRef(rearranging), draft.base) != nullptr;
}

std::optional<ViewOffset> viewOffset(const Node &view, unsigned element, const Type &from) {
  if (!view.op() || !view.op()->view || !from.stridesKnown())
    return std::nullopt;
  return view.op()->view(view, element, from);
}

std::optional<Dim> numberOf(const Node &node, const Argument &argument) { return dimOf(node, argument); }

std::optional<Dim> numberAt(const Node &node, int parameter, std::optional<Dim> missing) {
  const Argument *argument = argumentAt(node, parameter);
  if (!argument || argument->is(Argument::Kind::None))
    return missing;
  return dimOf(node, *argument);
}

} // namespace ccgraph
