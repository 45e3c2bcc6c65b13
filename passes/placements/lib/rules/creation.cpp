#include "rules/ranges.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::placements {
namespace {

/// A pad, a flip, a roll, a triangle or a running sum reads one dimension as a whole.
Held placeAlong(PlacedCall &call, llvm::ArrayRef<size_t> dims) {
  HeldOperand input = call.operand(0);
  std::optional<IntList> sizes = call.resultSizes();
  if (!input.held || !sizes || sizes->size() != input.held->dims.size())
    return undecidedBecause(call, "symbolic or unknown sizes");
  Held result = *input.held;
  for (size_t dim : dims) {
    for (size_t axis = 0; axis != call.numAxes(); ++axis)
      if (result.dimOf(axis) == std::optional(dim))
        result.settle(axis, varyingSince(call.node()));
    result.dims[dim] = {call.maker().local((*sizes)[dim])};
  }
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (result.has(axis, HoldKind::Replicated) && call.literalVaries(axis))
      result.axes[axis] = varyingSince(call.node());
  result.isUniform = false;
  return result;
}

Held placeTriangle(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  const size_t rank = input.held ? input.held->dims.size() : 0;
  if (rank < 2)
    return call.undecided();
  const size_t dims[] = {rank - 2, rank - 1};
  return placeAlong(call, dims);
}

Held placeRunning(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  if (!input.held || input.held->dims.empty())
    return call.undecided();
  const size_t dims[] = {call.dimension(1, input.held->dims.size(), 0)};
  return placeAlong(call, dims);
}

Held placePad(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  std::optional<IntList> sizes = call.resultSizes();
  if (!input.held || !sizes || sizes->size() != input.held->dims.size())
    return undecidedBecause(call, "symbolic or unknown sizes");
  llvm::SmallVector<size_t, 4> dims;
  for (size_t dim = 0; dim != sizes->size(); ++dim)
    if ((*sizes)[dim] != input.held->localSize(dim))
      dims.push_back(dim);
  return placeAlong(call, dims);
}

/// slice_backward(grad, input_sizes, dim, start, end, step) and select_backward(grad, input_sizes, dim, index).
Held placeSliceBackward(PlacedCall &call) {
  HeldOperand grad = call.operand(0);
  std::optional<IntList> sizes = call.resultSizes();
  if (!grad.held || !sizes || sizes->empty())
    return undecidedBecause(call, "symbolic or unknown sizes");
  Held result = *grad.held;
  const size_t dim = call.dimension(2, sizes->size(), 0);
  if (result.dims.size() + 1 == sizes->size())
    result.dims.insert(result.dims.begin() + static_cast<std::ptrdiff_t>(dim), DimFactors{call.maker().local(1)});
  DimFactors &cut = result.dims[dim];
  if (localSizeOf(cut) != (*sizes)[dim]) {
    DimFactors axesFirst;
    for (const Factor &factor : cut)
      if (!factor.isLocal())
        axesFirst.push_back(factor);
    axesFirst.push_back(call.maker().local((*sizes)[dim]));
    cut = axesFirst;
  }
  // Each rank puts its part in its own place among zeros, so the sum over the ranks is the whole.
  std::optional<std::vector<int64_t>> starts = call.integerByRank(3);
  const int64_t length = grad.held->dims.size() == sizes->size() ? grad.held->localSize(dim) : 1;
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    if (!call.literalVaries(axis) || result.has(axis, HoldKind::Undecided))
      continue;
    const bool isOwn =
        starts && grad.held->dimOf(axis) == std::optional(dim) && takesOwnPart(call, {dim, length, *starts}, axis);
    result.settle(axis, isOwn ? partialSince(call.node(), ReduceOp::Sum) : varyingSince(call.node()));
  }
  result.isUniform &= result.isZero;
  return result;
}

Held placeFilled(PlacedCall &call) {
  std::optional<IntList> sizes = call.resultSizes();
  if (!sizes)
    return undecidedBecause(call, "symbolic or unknown sizes");
  Held result = call.fresh(*sizes);
  llvm::StringRef base = call.base();
  bool varies = false;
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    varies |= base.contains("full") && call.literalVaries(axis);
  result.isMade = true;
  result.isUniform = !varies;
  result.isZero = base.contains("zeros") || (base.contains("empty") && !varies) ||
                  (base == "aten.full" && call.number(1) == std::optional(0.0)) ||
                  (base == "aten.full_like" && call.number(1) == std::optional(0.0)) ||
                  (base == "aten.scalar_tensor" && call.number(0) == std::optional(0.0)) ||
                  (base == "aten.new_full" && call.number(2) == std::optional(0.0));
  for (size_t axis = 0; varies && axis != call.numAxes(); ++axis)
    if (call.literalVaries(axis))
      result.axes[axis] = varyingSince(call.node());
  return result;
}

/// arange(start, end): ranks that begin where the rank before them ends hold the parts of one range.
Held placeRangeOfNumbers(PlacedCall &call) {
  std::optional<IntList> sizes = call.resultSizes();
  if (!sizes || sizes->size() != 1)
    return undecidedBecause(call, "symbolic or unknown sizes");
  Held result = call.fresh(*sizes);
  result.isMade = true;
  std::optional<std::vector<int64_t>> starts = call.integerByRank(0);
  const bool hasStart = call.argument(1) && call.argument(1)->is(Argument::Kind::Int);
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    if (!call.literalVaries(axis))
      continue;
    Range range{0, sizes->front(), hasStart && starts ? *starts : std::vector<int64_t>()};
    if (hasStart && starts && takesOwnPart(call, range, axis)) {
      result.dims[0].insert(result.dims[0].begin(),
                            call.maker().cut(static_cast<int>(axis), call.state().sizeOf(axis)));
      result.axes[axis] = {HoldKind::Sharded};
    } else {
      result.axes[axis] = varyingSince(call.node());
    }
  }
  return result;
}

/// Random numbers: parts of a tensor where an operand is one, and else equal only for equal states.
Held placeRandom(PlacedCall &call) {
  Held result = call.fresh(call.resultSizes().value_or(IntList()));
  if (HeldOperand like = call.operand(0); like.held && like.held->dims.size() == result.dims.size())
    result = *like.held;
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (result.has(axis, HoldKind::Replicated))
      result.axes[axis].assumed = true;
    else if (result.has(axis, HoldKind::Partial))
      result.axes[axis] = {.assumed = true};
  result.isUniform = result.isZero = false;
  return result;
}

constexpr PlacementRuleEntry creationRows[] = {
    {"aten.arange", placeRangeOfNumbers},
    {"aten.bernoulli", placeRandom},
    {"aten.constant_pad_nd", placePad},
    {"aten.cumprod", placeRunning},
    {"aten.cumsum", placeRunning},
    {"aten.empty", placeFilled},
    {"aten.empty_like", placeFilled},
    {"aten.full", placeFilled},
    {"aten.full_like", placeFilled},
    {"aten.new_empty", placeFilled},
    {"aten.new_full", placeFilled},
    {"aten.new_ones", placeFilled},
    {"aten.new_zeros", placeFilled},
    {"aten.ones", placeFilled},
    {"aten.ones_like", placeFilled},
    {"aten.rand", placeRandom},
    {"aten.rand_like", placeRandom},
    {"aten.randint", placeRandom},
    {"aten.randn", placeRandom},
    {"aten.randn_like", placeRandom},
    {"aten.scalar_tensor", placeFilled},
    {"aten.select_backward", placeSliceBackward},
    {"aten.slice_backward", placeSliceBackward},
    {"aten.tril", placeTriangle},
    {"aten.triu", placeTriangle},
    {"aten.zeros", placeFilled},
    {"aten.zeros_like", placeFilled},
    {"prims.iota", placeRangeOfNumbers},
};

} // namespace

llvm::ArrayRef<PlacementRuleEntry> creationPlacements() { return creationRows; }

} // namespace ccgraph::placements
