#include "lower/view_windows.h"

#include "ccgraph/ir/dims.h"
#include "ccgraph/ir/effects.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace ccgraph::lower {
namespace {

/// Elements of the viewed tensor's dtype from its first element to the view's.
using OffsetRule = std::optional<Dim> (*)(const Node &view, unsigned element, const Type &from);

Context &contextOf(const Node &node) { return node.graph()->context(); }

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
  return Dim(context.symbolic("Min(Max(" + index.str() + ", 0), " + size.str() + ")"));
}

std::optional<Dim> atStart(const Node &, unsigned, const Type &) { return Dim(0); }

/// select and narrow: a row.
std::optional<Dim> atRow(const Node &view, unsigned, const Type &from) {
  std::optional<Axis> axis = axisAt(view, 1, 0, from);
  std::optional<Dim> row = numberAt(view, 2);
  if (!axis || !row)
    return std::nullopt;
  return multiply(contextOf(view), fromFront(contextOf(view), *row, axis->size), axis->stride);
}

std::optional<Dim> atSlice(const Node &view, unsigned, const Type &from) {
  std::optional<Axis> axis = axisAt(view, 1, 0, from);
  std::optional<Dim> start = numberAt(view, 2, Dim(0));
  if (!axis || !start)
    return std::nullopt;
  Context &context = contextOf(view);
  return multiply(context, clipped(context, fromFront(context, *start, axis->size), axis->size), axis->stride);
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
    std::optional<Dim> number = numberOf(split, length);
    if (!number)
      return std::nullopt;
    rows = add(contextOf(split), rows, *number);
  }
  return rows;
}

std::optional<Dim> atPart(const Node &view, unsigned element, const Type &from) {
  std::optional<Axis> axis = axisAt(view, 2, 0, from);
  std::optional<Dim> rows = rowsBefore(view, element);
  return axis && rows ? std::optional(multiply(contextOf(view), *rows, axis->stride)) : std::nullopt;
}

std::optional<Dim> atChunk(const Node &view, unsigned element, const Type &from) {
  std::optional<Axis> axis = axisAt(view, 2, 0, from);
  std::optional<Dim> count = numberAt(view, 1);
  if (!axis || !count || !count->isStatic() || count->value() <= 0 || !axis->size.isStatic())
    return std::nullopt;
  int64_t rows = (axis->size.value() + count->value() - 1) / count->value();
  return multiply(contextOf(view), Dim(saturatingMultiply(rows, element)), axis->stride);
}

std::optional<Dim> atUnbound(const Node &view, unsigned element, const Type &from) {
  std::optional<Axis> axis = axisAt(view, 1, 0, from);
  return axis ? std::optional(multiply(contextOf(view), Dim(element), axis->stride)) : std::nullopt;
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
  std::optional<Dim> index = numberOf(view, indices.elements()[element - 1]);
  Context &context = contextOf(view);
  return index ? std::optional(clipped(context, fromFront(context, *index, rows), rows)) : std::nullopt;
}

std::optional<Dim> atSectionOf(const Node &view, unsigned element, const std::optional<Axis> &axis) {
  const Argument *parts = argumentAt(view, 1);
  if (!axis || !axis->size.isStatic() || !parts)
    return std::nullopt;
  std::optional<Dim> count = numberOf(view, *parts);
  std::optional<Dim> rows;
  if (parts->isSequence())
    rows = rowsBeforeIndex(view, *parts, axis->size, element);
  else if (count && count->isStatic())
    rows = rowsBeforeSection(axis->size.value(), count->value(), element);
  return rows ? std::optional(multiply(contextOf(view), *rows, axis->stride)) : std::nullopt;
}

std::optional<Axis> axisOf(const Type &from, size_t index) {
  return index < from.sizes().size() ? std::optional(Axis{from.sizes()[index], from.strides()[index]}) : std::nullopt;
}

std::optional<Dim> atSection(const Node &view, unsigned element, const Type &from) {
  return atSectionOf(view, element, axisAt(view, 2, 0, from));
}

std::optional<Dim> atRowSection(const Node &view, unsigned element, const Type &from) {
  return atSectionOf(view, element, axisOf(from, 0));
}

/// hsplit: of a vector along its only dimension.
std::optional<Dim> atColumnSection(const Node &view, unsigned element, const Type &from) {
  return atSectionOf(view, element, axisOf(from, from.sizes().size() == 1 ? 0 : 1));
}

std::optional<Dim> atDepthSection(const Node &view, unsigned element, const Type &from) {
  return atSectionOf(view, element, axisOf(from, 2));
}

/// Of complex numbers the result shows the conjugates, which lie nowhere.
std::optional<Dim> atStartOfReal(const Node &, unsigned, const Type &from) {
  return isComplex(from.dtype()) ? std::nullopt : std::optional(Dim(0));
}

std::optional<Dim> atDiagonal(const Node &view, unsigned, const Type &from) {
  std::optional<Dim> offset = numberAt(view, 1, Dim(0));
  std::optional<Axis> row = axisAt(view, 2, 0, from), column = axisAt(view, 3, 1, from);
  if (!offset || !offset->isStatic() || !row || !column)
    return std::nullopt;
  bool below = offset->value() < 0;
  return multiply(contextOf(view), Dim(below ? -offset->value() : offset->value()),
                  below ? row->stride : column->stride);
}

struct ViewEntry {
  llvm::StringLiteral base;
  OffsetRule offset; ///< null: stated from the beginning of the storage
};

constexpr ViewEntry views[] = {
    {"aten._reshape_alias", atStart},
    {"aten._unsafe_view", atStart},
    {"aten.adjoint", atStartOfReal},
    {"aten.alias", atStart},
    {"aten.as_strided", nullptr},
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
    {"prims.as_strided", nullptr},
    {"prims.broadcast_in_dim", atStart},
    {"prims.collapse_view", atStart},
    {"prims.device_put", atStart},
    {"prims.split_dim", atStart},
    {"prims.squeeze", atStart},
    {"prims.transpose", atStart},
    {"prims.view_of", atStart},
    {"prims.view_of_dtype", atStart},
};

const ViewEntry *entryOf(const Node &view) {
  if (!view.op())
    return nullptr;
  llvm::StringRef base = baseOf(*view.op());
  const ViewEntry *entry = llvm::partition_point(views, [&](const ViewEntry &known) { return known.base < base; });
  return entry != std::end(views) && entry->base == base ? entry : nullptr;
}

/// The same place counted in elements of another width.
std::optional<Dim> rescaled(Context &context, const Dim &offset, int64_t from, int64_t to) {
  return from >= to ? std::optional(multiply(context, offset, Dim(from / to))) : divideExactly(offset, to / from);
}

} // namespace

llvm::StringRef baseOf(const OpDef &op) {
  llvm::StringRef target = op.target.str();
  return target.take_front(target.find('.', target.find('.') + 1));
}

std::optional<Dim> numberOf(const Node &node, const Argument &argument) {
  if (argument.is(Argument::Kind::Int))
    return Dim(argument.integer());
  if (argument.is(Argument::Kind::Symbolic))
    return Dim(argument.symbolic());
  const Type *type = argument.is(Argument::Kind::Operand) ? node.operand(argument)->type() : nullptr;
  if (type && type->kind() == Type::Kind::Symbolic)
    return Dim(type->symbol());
  return std::nullopt;
}

bool isKnownView(const Node &view) { return entryOf(view) != nullptr; }

std::optional<Dim> numberAt(const Node &node, int parameter, std::optional<Dim> missing) {
  const Argument *argument = argumentAt(node, parameter);
  if (!argument || argument->is(Argument::Kind::None))
    return missing;
  return numberOf(node, *argument);
}

std::optional<PlanWindow> viewWindow(const Node &view, unsigned element, const PlanWindow &from, const Type *type) {
  const ViewEntry *entry = entryOf(view);
  if (!entry || !type || !type->isTensor() || !type->stridesKnown() || !from.type->stridesKnown())
    return std::nullopt;
  if (!entry->offset) {
    std::optional<Dim> stated = numberAt(view, 3, from.offset);
    return stated ? std::optional(PlanWindow{from.buffer, type, *stated}) : std::nullopt;
  }
  // Because no element lies anywhere, a place past the end of the storage is no place of its.
  bool empty = llvm::is_contained(type->sizes(), Dim(0));
  std::optional<Dim> distance = empty ? Dim(0) : entry->offset(view, element, *from.type);
  if (!distance)
    return std::nullopt;
  Context &context = contextOf(view);
  std::optional<Dim> offset = rescaled(context, add(context, from.offset, *distance), sizeInBytes(from.type->dtype()),
                                       sizeInBytes(type->dtype()));
  return offset ? std::optional(PlanWindow{from.buffer, type, *offset}) : std::nullopt;
}

} // namespace ccgraph::lower
