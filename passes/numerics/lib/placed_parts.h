// The part of a tensor of one device that a rank holds, by its placement (ccgraph/ir/placement.h).
//
// Ownership: a part has memory of its own. Failure: an empty result if the placement does not fit the tensor, or cuts
// it too finely. Cost: linear in the pieces.
#pragma once

#include "held_value.h"

#include "ccgraph/ir/placement.h"

namespace ccgraph::numerics {

/// Axes on which the tensor is a partial sum count as replicated.
[[nodiscard]] std::optional<HeldTensor> placedPart(const HeldTensor &whole, const TensorPlacement &placement,
                                                   llvm::ArrayRef<NamedAxis> mesh, int64_t rank);
/// Returns whether the ranks of an axis hold summands of the tensor.
[[nodiscard]] bool isPartialSum(const TensorPlacement &placement);

} // namespace ccgraph::numerics
