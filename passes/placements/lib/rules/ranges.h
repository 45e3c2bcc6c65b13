// Ranges: parts of a tensor along one dimension, which may differ by rank, and what rules of data movement share.
//
// A slice of a replicated tensor of which each rank takes the part of its coordinate is a shard.
//
// Ownership: values. Failure: an undecided result with a reason. Cost: linear in the ranks.
#pragma once

#include "placed_call.h"

namespace ccgraph::placements {

/// What a slice of one dimension takes on each rank.
struct Range {
  size_t dim = 0;
  int64_t length = 0;
  std::vector<int64_t> starts;
};

/// Returns the operand with other dimensions; the axes stay.
[[nodiscard]] Held movedTo(PlacedCall &call, const Held &from, llvm::SmallVector<DimFactors, 4> dims);

[[nodiscard]] Held undecidedBecause(PlacedCall &call, const llvm::Twine &text);

/// Returns the factors of the elements from `start` on, `length` of them; empty if they are no whole parts.
[[nodiscard]] std::optional<DimFactors> slicedFactors(DimFactors factors, int64_t start, int64_t length,
                                                      FactorMaker &maker);

/// Returns whether each rank of the axis takes the part of its coordinate.
[[nodiscard]] bool takesOwnPart(const PlacedCall &call, const Range &range, size_t axis);

[[nodiscard]] Held placeRange(PlacedCall &call, const Held &input, const Range &range);

} // namespace ccgraph::placements
