#include "rules/ranges.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::placements {

/// Returns the operand with other dimensions; the axes stay.
Held movedTo(PlacedCall &call, const Held &from, llvm::SmallVector<DimFactors, 4> dims) {
  Held result = from;
  result.dims = std::move(dims);
  for (size_t axis = 0; axis != call.numAxes(); ++axis)
    if (result.has(axis, HoldKind::Sharded) && !result.dimOf(axis))
      result.axes[axis] = varyingSince(call.node());
  return result;
}

Held undecidedBecause(PlacedCall &call, const llvm::Twine &text) {
  call.reject(text);
  return call.undecided();
}

/// Returns the factors of the elements from `start` on, `length` of them; empty if they are no whole parts.
std::optional<DimFactors> slicedFactors(DimFactors factors, int64_t start, int64_t length, FactorMaker &maker) {
  const int64_t whole = localSizeOf(factors);
  if (start == 0 && length == whole)
    return factors;
  if (!hasAxes(factors))
    return DimFactors{maker.local(length)};
  // Blocks before the first axis may be taken alone.
  if (factors.front().isLocal()) {
    const int64_t block = whole / factors.front().size;
    if (block > 0 && length % block == 0 && start % block == 0) {
      factors.front() = maker.local(length / block);
      if (length == block)
        factors.erase(factors.begin());
      return factors;
    }
    return std::nullopt;
  }
  // Each rank takes the same elements of its part.
  DimFactors result;
  for (const Factor &factor : factors)
    if (!factor.isLocal())
      result.push_back(factor);
  if (factors.size() != result.size() + 1 || !factors.back().isLocal())
    return std::nullopt;
  result.push_back(maker.local(length));
  return result;
}

/// Returns whether each rank of the axis takes the part of its coordinate.
bool takesOwnPart(const PlacedCall &call, const Range &range, size_t axis) {
  for (size_t rank = 0; rank != range.starts.size(); ++rank)
    if (range.starts[rank] - range.starts[call.state().firstOnAxis(rank, axis)] !=
        call.state().coordinatesOf(rank)[axis] * range.length)
      return false;
  return range.starts.front() == 0;
}

namespace {

bool startsVary(const PlacedCall &call, const Range &range, size_t axis) {
  for (size_t rank = 0; rank != range.starts.size(); ++rank)
    if (range.starts[rank] != range.starts[call.state().firstOnAxis(rank, axis)])
      return true;
  return false;
}

/// Returns whether the ranks of the axis take all parts, but not each its own.
bool takesPartOfOther(const PlacedCall &call, const Range &range, size_t axis) {
  bool isOwn = true;
  std::vector<std::vector<int64_t>> taken(range.starts.size());
  for (size_t rank = 0; rank != range.starts.size(); ++rank) {
    if (range.length <= 0 || range.starts[rank] % range.length != 0)
      return false;
    const int64_t part = range.starts[rank] / range.length;
    std::vector<int64_t> &line = taken[call.state().firstOnAxis(rank, axis)];
    if (part >= call.state().sizeOf(axis) || llvm::is_contained(line, part))
      return false;
    line.push_back(part);
    isOwn &= part == call.state().coordinatesOf(rank)[axis];
  }
  return !isOwn;
}

Hold reportOtherPart(PlacedCall &call, size_t axis) {
  return call.report(
      {FindingKind::PartOfOtherRank, axis, nullptr,
       "the ranks of " + call.axisName(axis) + " take parts of a replicated tensor, but not each its own",
       "rank r takes part r"});
}

Hold partOfPartial(PlacedCall &call, size_t axis) {
  return call.report({FindingKind::UnreducedOperand, axis, call.node().operand(0),
                      "each rank of " + call.axisName(axis) + " takes its part of the partial sum " +
                          call.node().operand(0)->name().str().str() + ", which is not reduced",
                      "use a reduce_scatter over " + call.axisName(axis) + " in place of the slice"});
}

} // namespace

/// Notes the first range of a dimension whose parts are not known to stay together.
static void noteDivision(PlacedCall &call, const Held &input, const Range &range) {
  if (call.state().answer->dividesParts || range.length == input.localSize(range.dim))
    return;
  const bool isUnknown =
      llvm::any_of(input.axes, [](const Hold &hold) { return hold.kind == HoldKind::Undecided && !hold.afterFinding; });
  if (isUnknown || hasAxes(input.dims[range.dim]))
    call.state().answer->dividesParts = &call.node();
}

Held placeRange(PlacedCall &call, const Held &input, const Range &range) {
  noteDivision(call, input, range);
  Held result = input;
  std::optional<DimFactors> factors =
      slicedFactors(input.dims[range.dim], range.starts.front(), range.length, call.maker());
  result.dims[range.dim] = factors ? *factors : DimFactors{call.maker().local(range.length)};
  result = movedTo(call, result, result.dims);
  for (size_t axis = 0; axis != call.numAxes(); ++axis) {
    if (!startsVary(call, range, axis) || result.isUniform)
      continue;
    if (result.has(axis, HoldKind::Partial) && takesOwnPart(call, range, axis)) {
      result.settle(axis, partOfPartial(call, axis));
      continue;
    }
    // Positions of the rank whose part has come round a ring are those of another rank.
    const bool goesRound = input.isMade && call.passesParts();
    if (result.has(axis, HoldKind::Replicated) && !goesRound && takesPartOfOther(call, range, axis)) {
      result.settle(axis, reportOtherPart(call, axis));
      continue;
    }
    if (result.has(axis, HoldKind::Replicated) && takesOwnPart(call, range, axis)) {
      DimFactors &cut = result.dims[range.dim];
      auto local = llvm::find_if(cut, [](const Factor &factor) { return factor.isLocal(); });
      cut.insert(local, call.maker().cut(static_cast<int>(axis), call.state().sizeOf(axis)));
      result.axes[axis] = {HoldKind::Sharded};
    } else if (!result.has(axis, HoldKind::Undecided)) {
      result.settle(axis, varyingSince(call.node()));
    }
  }
  return result;
}

} // namespace ccgraph::placements
