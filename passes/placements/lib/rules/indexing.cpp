#include "placed_call.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::placements {
namespace {

bool cutsDim(const Held &held, size_t axis, size_t dim) { return held.dimOf(axis) == std::optional(dim); }

/// Decides an axis of a look-up along a dimension that the axis cuts.
Hold lookUpHold(PlacedCall &call, size_t axis, HeldOperand data, HeldOperand index) {
  const Hold &of = index.held->axes[axis];
  if (of.kind == HoldKind::Undecided)
    return of;
  // Positions that the program makes may be those of each part.
  if (of.kind == HoldKind::Varying || index.held->isMade)
    return varyingSince(call.node());
  const std::string what = data.node->name().str().str(), by = index.node->name().str().str();
  if (of.kind == HoldKind::Sharded)
    return call.report({FindingKind::MismatchedOperands, axis, data.node,
                        what + " is cut over " + call.axisName(axis) + " along the dimension that " + by +
                            " indexes, and " + by + " is cut over it too",
                        "gather " + what + " over " + call.axisName(axis) + " before it"});
  return call.report({FindingKind::IndexOfWhole, axis, index.node,
                      "every rank of " + call.axisName(axis) + " reads its part of " + what +
                          " with the same indices " + by + "; an index into the whole needs the offset of the part",
                      "subtract the offset of the rank's part, and mask the indices of other parts"});
}

/// x[.., index, ..]: the dimensions of the index take the place of dimension `dim`.
Held placeLookUp(PlacedCall &call, HeldOperand data, HeldOperand index, size_t dim) {
  if (!data.held || !index.held || dim >= data.held->dims.size())
    return call.undecided();
  Held left = *data.held, right = *index.held;
  llvm::SmallVector<DimFactors, 4> dims(left.dims.begin(), left.dims.begin() + static_cast<std::ptrdiff_t>(dim));
  dims.append(right.dims.begin(), right.dims.end());
  dims.append(left.dims.begin() + static_cast<std::ptrdiff_t>(dim) + 1, left.dims.end());
  Held result;
  result.dims = std::move(dims);
  result.axes.resize(call.numAxes());
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    const Hold &a = left.axes[axis], &b = right.axes[axis];
    Hold hold;
    if (a.kind == HoldKind::Undecided || b.kind == HoldKind::Undecided)
      hold = a.kind == HoldKind::Undecided ? a : b;
    else if (cutsDim(left, axis, dim))
      hold = lookUpHold(call, axis, data, index);
    else if (a.kind == HoldKind::Sharded && b.kind == HoldKind::Sharded)
      hold = call.report({FindingKind::MismatchedOperands, axis, data.node,
                          data.node->name().str().str() + " and " + index.node->name().str().str() +
                              " are cut along different dimensions over " + call.axisName(axis),
                          "gather one of them"});
    else if (a.kind == HoldKind::Sharded || b.kind == HoldKind::Sharded)
      hold = {HoldKind::Sharded};
    else if (b.kind == HoldKind::Partial)
      hold = nonlinearHold(call, axis, index);
    else
      hold = a.kind == HoldKind::Replicated ? b : a;
    if (hold.kind == HoldKind::Sharded)
      result.axes[axis] = hold;
    else
      result.settle(axis, hold);
  }
  return result;
}

Held placeEmbedding(PlacedCall &call) { return placeLookUp(call, call.operand(0), call.operand(1), 0); }

Held placeIndexSelect(PlacedCall &call) {
  HeldOperand data = call.operand(0);
  return data.held ? placeLookUp(call, data, call.operand(2), call.dimension(1, data.held->dims.size(), 0))
                   : call.undecided();
}

/// x[i, j, ..] with one tensor of indices and dimensions before it; several ones are placed by equality alone.
Held placeIndex(PlacedCall &call) {
  const Argument *list = call.argument(1);
  std::optional<size_t> at;
  size_t position = 0, found = 0;
  if (list)
    for (const Argument &element : list->elements()) {
      if (element.is(Argument::Kind::Operand)) {
        at = position;
        ++found;
      }
      ++position;
    }
  std::vector<HeldOperand> indices = call.operands(1);
  if (found != 1 || indices.size() != 1)
    return call.reject("several tensors of indices"), call.undecided();
  return placeLookUp(call, call.operand(0), indices.front(), *at);
}

/// embedding_dense_backward(grad, index, rows, ..): rows of the gradient are added where the index says.
Held placeEmbeddingBackward(PlacedCall &call) {
  HeldOperand grad = call.operand(0), index = call.operand(1);
  std::optional<IntList> sizes = call.resultSizes();
  if (!grad.held || !index.held || !sizes || sizes->size() != 2 || grad.held->dims.empty())
    return call.undecided();
  Held result = call.fresh(*sizes);
  result.dims[1] = grad.held->dims.back();
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    const Hold &g = grad.held->axes[axis], &i = index.held->axes[axis];
    Hold &hold = result.axes[axis];
    const bool isLast = cutsDim(*grad.held, axis, grad.held->dims.size() - 1);
    if (g.kind == HoldKind::Undecided || i.kind == HoldKind::Undecided)
      hold = g.kind == HoldKind::Undecided ? g : i;
    else if (isLast)
      hold = {HoldKind::Sharded};
    else if (g.kind == HoldKind::Sharded || i.kind == HoldKind::Sharded)
      hold = partialSince(call.node(), ReduceOp::Sum);
    else if (i.kind == HoldKind::Varying)
      hold = varyingSince(call.node());
    else
      hold = g;
    if (hold.kind != HoldKind::Sharded)
      result.settle(axis, hold);
  }
  return result;
}

/// Returns how many whole dimensions precede the indices: 2 of [None, None, i].
size_t dimsBeforeIndices(PlacedCall &call, size_t position) {
  const Argument *indices = call.argument(position);
  size_t count = 0;
  if (indices && indices->isSequence())
    while (count != indices->elements().size() && indices->elements()[count].is(Argument::Kind::None))
      ++count;
  return count;
}

/// Decides an axis of elements that are put into zeros. `rows`: the one dimension whose index the program makes; with
/// the elements cut, each rank puts those of its own rows there.
Hold putHold(PlacedCall &call, size_t axis, llvm::ArrayRef<HeldOperand> operands, std::optional<size_t> rows) {
  bool isCut = false, isVarying = false;
  for (const HeldOperand &operand : operands) {
    const Hold &hold = operand.held->axes[axis];
    if (hold.kind == HoldKind::Undecided)
      return hold;
    isVarying |= hold.kind == HoldKind::Varying;
    isCut |= hold.kind == HoldKind::Sharded;
  }
  if (isVarying)
    return varyingSince(call.node());
  if (isCut)
    return {rows ? HoldKind::Sharded : HoldKind::Undecided};
  for (const HeldOperand &index : operands.drop_back())
    if (index.held->has(axis, HoldKind::Partial))
      return nonlinearHold(call, axis, index);
  return operands.back().held->axes[axis];
}

/// index_put(zeros, [arange, i], values) with an index of one dimension for each dimension, as the gradient of a
/// cross-entropy whose classes are cut has.
Held placeElementsPut(PlacedCall &call) {
  std::vector<HeldOperand> operands = call.operands(1);
  operands.push_back(call.operand(2));
  const Held &zeros = *call.operand(0).held;
  std::optional<size_t> rows;
  for (size_t i = 0; i != operands.size(); ++i) {
    const Held *held = operands[i].held;
    if (!held || held->dims.size() != 1)
      return call.reject("elements that are put at indices of several dimensions"), call.undecided();
    if (i + 1 != operands.size() && held->isMade)
      rows = i;
  }
  Held result = zeros;
  result.isZero = result.isUniform = result.isMade = false;
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    result.axes[axis] = putHold(call, axis, operands, rows);
    const auto cut =
        llvm::find_if(operands, [&](const HeldOperand &operand) { return operand.held->has(axis, HoldKind::Sharded); });
    if (result.has(axis, HoldKind::Sharded))
      result.dims[*rows] = cut->held->dims.front();
  }
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (result.has(axis, HoldKind::Sharded) != result.dimOf(axis).has_value())
      result.settle(axis, {HoldKind::Undecided});
  return result;
}

/// index_put(x, indices, values, accumulate) with one tensor of indices, and
/// _unsafe_masked_index_put_accumulate(x, mask, indices, values), into a tensor of zeros: rows are added, as the
/// gradient of an embedding does.
Held placeRowsAdded(PlacedCall &call) {
  const bool isMasked = call.base() == "aten._unsafe_masked_index_put_accumulate";
  HeldOperand data = call.operand(0), values = call.operand(isMasked ? 3 : 2);
  std::vector<HeldOperand> indices = call.operands(isMasked ? 2 : 1);
  std::optional<IntList> sizes = call.resultSizes();
  const bool adds = isMasked || call.flag(3);
  if (data.held && data.held->isZero && values.held && indices.size() > 1 && !isMasked &&
      indices.size() == data.held->dims.size())
    return placeElementsPut(call);
  if (!data.held || !data.held->isZero || !values.held || !sizes || indices.size() != 1 || !adds)
    return call.reject("no rows that are added to zeros"), call.undecided();
  Held result = call.fresh(*sizes);
  const size_t before = dimsBeforeIndices(call, isMasked ? 2 : 1);
  const size_t rows = before + indices.front().held->dims.size();
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    const Hold &v = values.held->axes[axis], &i = indices.front().held->axes[axis];
    const std::optional<size_t> cut = values.held->dimOf(axis);
    Hold hold = v;
    if (v.kind == HoldKind::Undecided || i.kind == HoldKind::Undecided)
      hold = v.kind == HoldKind::Undecided ? v : i;
    else if (i.kind == HoldKind::Varying || (isMasked && call.operand(1).held->has(axis, HoldKind::Varying)))
      hold = varyingSince(call.node());
    else if (cut && *cut >= rows)
      hold = {HoldKind::Undecided};
    else if (cut && *cut < before && i.kind == HoldKind::Replicated)
      result.dims[*cut] = values.held->dims[*cut];
    else if (cut || i.kind == HoldKind::Sharded)
      hold = partialSince(call.node(), ReduceOp::Sum);
    if (hold.kind == HoldKind::Sharded && result.dimOf(axis))
      result.axes[axis] = hold;
    else
      result.settle(axis, hold);
  }
  return result;
}

/// The dimension `dim` of the operands takes the size that the index has there.
Held withDim(PlacedCall &call, const Held &held, size_t dim, const DimFactors &factors) {
  Held result = held;
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (cutsDim(result, axis, dim))
      result.settle(axis, {});
  if (dim < result.dims.size())
    result.dims[dim] = factors;
  return result;
}

/// gather(x, dim, index).
Held placeGather(PlacedCall &call) {
  HeldOperand data = call.operand(0), index = call.operand(2);
  std::optional<IntList> sizes = call.resultSizes();
  if (!data.held || !index.held || !sizes || sizes->empty() || data.held->dims.size() != sizes->size())
    return call.undecided();
  const size_t dim = call.dimension(1, sizes->size(), 0);
  Held neutral = withDim(call, *data.held, dim, index.held->dims[dim]);
  Elementwise function;
  function.sizes = *sizes;
  function.operands = {{{&neutral, data.node}, 'm'}, {index, 'n'}};
  Held result = placeElementwise(call, function);
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (cutsDim(*data.held, axis, dim) && !data.held->isUniform)
      result.settle(axis, lookUpHold(call, axis, data, index));
  return result;
}

/// scatter(x, dim, index, source), scatter_add: elements of the source are put, or added, into a copy of x.
Held placeScatter(PlacedCall &call) {
  HeldOperand data = call.operand(0), index = call.operand(2), source = call.operand(3);
  std::optional<IntList> sizes = call.resultSizes();
  if (!data.held || !index.held || !sizes || sizes->empty() || index.held->dims.size() != sizes->size())
    return call.undecided();
  const size_t dim = call.dimension(1, sizes->size(), 0);
  const DimFactors whole{call.maker().local((*sizes)[dim])};
  Held by = withDim(call, *index.held, dim, whole), from;
  Elementwise function;
  function.sizes = *sizes;
  function.operands = {{data, 'a'}, {{&by, index.node}, 'n'}};
  if (source.held) {
    from = withDim(call, *source.held, dim, whole);
    function.operands.push_back({{&from, source.node}, 'a'});
  }
  Held result = placeElementwise(call, function);
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    if (cutsDim(*data.held, axis, dim) && !data.held->isUniform)
      result.settle(axis, lookUpHold(call, axis, data, index));
    else if (cutsDim(*index.held, axis, dim))
      result.settle(axis, source.held && source.held->has(axis, HoldKind::Sharded) && call.base() == "aten.scatter_add"
                              ? partialSince(call.node(), ReduceOp::Sum)
                              : varyingSince(call.node()));
  }
  return result;
}

/// index_add(x, dim, index, source): rows of the source are added to rows of x. Ranks that hold some of these rows each
/// have a part of the sum.
Held placeIndexAdd(PlacedCall &call) {
  HeldOperand data = call.operand(0), index = call.operand(2), source = call.operand(3);
  std::optional<IntList> sizes = call.resultSizes();
  if (!data.held || !index.held || !source.held || !sizes || sizes->empty() ||
      source.held->dims.size() != sizes->size())
    return call.undecided();
  const size_t dim = call.dimension(1, sizes->size(), 0);
  const Held rows = withDim(call, *source.held, dim, {call.maker().local((*sizes)[dim])});
  Elementwise function;
  function.sizes = *sizes;
  function.operands = {{data, 'a'}, {{&rows, source.node}, 'a'}};
  Held result = placeElementwise(call, function);
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    const bool hasSomeRows = cutsDim(*source.held, axis, dim) || index.held->has(axis, HoldKind::Sharded);
    if (index.held->has(axis, HoldKind::Undecided))
      result.settle(axis, index.held->axes[axis]);
    else if (index.held->has(axis, HoldKind::Varying) || (cutsDim(*data.held, axis, dim) && !data.held->isUniform))
      result.settle(axis, varyingSince(call.node()));
    else if (hasSomeRows && !result.has(axis, HoldKind::Undecided))
      result.settle(axis, data.held->isZero || data.held->has(axis, HoldKind::Partial)
                              ? partialSince(call.node(), ReduceOp::Sum)
                              : varyingSince(call.node()));
  }
  return result;
}

/// topk and sort along one dimension return values and indices.
Held placeSorted(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  std::optional<IntList> sizes = call.resultSizes();
  if (!input.held || input.held->dims.empty())
    return call.undecided();
  const size_t rank = input.held->dims.size();
  const bool isTopK = call.base() == "aten.topk";
  const size_t dim = call.dimension(isTopK ? 2 : 1, rank, -1);
  Held one = *input.held;
  const int64_t length = isTopK ? call.integer(1).value_or(one.localSize(dim)) : one.localSize(dim);
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (cutsDim(one, axis, dim))
      one.settle(axis, varyingSince(call.node()));
    else if (one.has(axis, HoldKind::Partial))
      one.settle(axis, nonlinearHold(call, axis, input));
  one.dims[dim] = {call.maker().local(length)};
  one.isUniform = false;
  return listOfTwo(one, one);
}

constexpr PlacementRuleEntry indexRows[] = {
    {"aten._unsafe_masked_index_put_accumulate", placeRowsAdded},
    {"aten.embedding", placeEmbedding},
    {"aten.embedding_dense_backward", placeEmbeddingBackward},
    {"aten.gather", placeGather},
    {"aten.index", placeIndex},
    {"aten.index_add", placeIndexAdd},
    {"aten.index_put", placeRowsAdded},
    {"aten.index_select", placeIndexSelect},
    {"aten.scatter", placeScatter},
    {"aten.scatter_add", placeScatter},
    {"aten.sort", placeSorted},
    {"aten.topk", placeSorted},
};

} // namespace

llvm::ArrayRef<PlacementRuleEntry> indexPlacements() { return indexRows; }

} // namespace ccgraph::placements
