#include "placed_call.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::placements {
namespace {

/// Returns the operand without the dimensions, or with size 1 in their place.
Held reducedDims(PlacedCall &call, const Held &input, llvm::ArrayRef<size_t> dims, bool keeps) {
  Held result;
  result.axes = input.axes;
  for (size_t dim = 0; dim != input.dims.size(); ++dim)
    if (!llvm::is_contained(dims, dim))
      result.dims.push_back(input.dims[dim]);
    else if (keeps)
      result.dims.push_back({call.maker().local(1)});
  return result;
}

/// How a reduction treats its operand.
struct Reduction {
  std::vector<size_t> dims;
  bool keeps = false;
  /// of the result, if a reduced dimension is cut; empty: the ranks hold unrelated values
  std::optional<ReduceOp> op;
  /// A partial sum stays one.
  bool isLinear = false;
};

Held placeReduction(PlacedCall &call, const Reduction &how) {
  HeldOperand input = call.operand(0);
  Held result = reducedDims(call, *input.held, how.dims, how.keeps);
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    std::optional<size_t> dim = input.held->dimOf(axis);
    Hold &hold = result.axes[axis];
    if (dim && llvm::is_contained(how.dims, *dim)) {
      hold = how.op ? partialSince(call.node(), *how.op) : provenVaryingSince(call.node());
      // The ranks may find equal places of their own parts.
      if (input.held->isGuessed(axis) || call.base().startswith("aten.arg"))
        hold = varyingSince(call.node());
      continue;
    }
    const bool keepsPartial = hold.kind == HoldKind::Partial && how.op &&
                              (hold.reduction == ReduceOp::Sum ? how.isLinear : hold.reduction == *how.op);
    if (hold.kind == HoldKind::Partial && !keepsPartial)
      hold = nonlinearHold(call, axis, input);
  }
  result.isZero = result.isUniform = input.held->isZero;
  return result;
}

/// The operators sum(x, dims?, keepdim): without dims, all.
Held placeByDims(PlacedCall &call, std::optional<ReduceOp> op, bool isLinear) {
  HeldOperand input = call.operand(0);
  if (!input.held)
    return call.undecided();
  const size_t rank = input.held->dims.size();
  const bool hasDims = call.integers(1).has_value();
  Reduction how{call.dimensions(1, rank), hasDims && call.flag(2), op, isLinear};
  return placeReduction(call, how);
}

Held placeSumOver(PlacedCall &call) { return placeByDims(call, ReduceOp::Sum, true); }
Held placeMaximum(PlacedCall &call) { return placeByDims(call, ReduceOp::Max, false); }
Held placeMinimum(PlacedCall &call) { return placeByDims(call, ReduceOp::Min, false); }
Held placeOtherReduction(PlacedCall &call) { return placeByDims(call, std::nullopt, false); }
Held placeAny(PlacedCall &call) { return placeByDims(call, ReduceOp::Max, false); }
Held placeAll(PlacedCall &call) { return placeByDims(call, ReduceOp::Min, false); }

/// max(x, dim, keepdim) returns the values and the indices.
Held placeMaximumWithIndex(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  if (!input.held)
    return call.undecided();
  const bool isMax = call.base() == "aten.max";
  if (!call.integer(1))
    return placeByDims(call, isMax ? ReduceOp::Max : ReduceOp::Min, false);
  Reduction how{call.dimensions(1, input.held->dims.size()), call.flag(2), isMax ? ReduceOp::Max : ReduceOp::Min,
                false};
  Held values = placeReduction(call, how), indices = values;
  for (Hold &hold : indices.axes)
    if (hold.kind == HoldKind::Partial)
      hold = varyingSince(call.node());
  return listOfTwo(values, indices);
}

/// var_mean and norms of vectors add squares along the dimensions.
Held placeStatistics(PlacedCall &call) {
  HeldOperand input = call.operand(0);
  if (!input.held)
    return call.undecided();
  const size_t rank = input.held->dims.size();
  const bool isNorm = call.base() == "aten.linalg_vector_norm" || call.base() == "aten.norm";
  Reduction how{call.dimensions(isNorm ? 2 : 1, rank), call.flag(3), std::nullopt, false};
  Held result = placeReduction(call, how);
  return call.base() == "aten.var_mean" ? listOfTwo(result, result) : result;
}

constexpr PlacementRuleEntry reductionRows[] = {
    {"aten.all", placeAll},
    {"aten.amax", placeMaximum},
    {"aten.amin", placeMinimum},
    {"aten.any", placeAny},
    {"aten.argmax", placeOtherReduction},
    {"aten.argmin", placeOtherReduction},
    {"aten.linalg_vector_norm", placeStatistics},
    {"aten.logsumexp", placeOtherReduction},
    {"aten.max", placeMaximumWithIndex},
    {"aten.mean", placeSumOver},
    {"aten.min", placeMaximumWithIndex},
    {"aten.norm", placeStatistics},
    {"aten.prod", placeOtherReduction},
    {"aten.std", placeStatistics},
    {"aten.sum", placeSumOver},
    {"aten.var", placeStatistics},
    {"aten.var_mean", placeStatistics},
};

} // namespace

Held placeSumTo(PlacedCall &call, const Held &elements, llvm::ArrayRef<size_t> kept) {
  Held result;
  result.axes = elements.axes;
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (std::optional<size_t> cut = elements.dimOf(axis); cut && !llvm::is_contained(kept, *cut))
      result.axes[axis] = partialSince(call.node(), ReduceOp::Sum);
  for (size_t dim : kept)
    result.dims.push_back(elements.dims[dim]);
  return result;
}

llvm::ArrayRef<PlacementRuleEntry> reductionPlacements() { return reductionRows; }

} // namespace ccgraph::placements
