// Mesh: the axes of a job, and the axes over which a collective runs.
//
// A group is a product of axes: its members differ in the coordinates of these axes and in no others. Without stated
// axes, the groups of all ranks are taken as axes: a family of disjoint groups of one size that partition the ranks.
//
// Ownership: values. Failure: empty results; the caller states why. Cost: linear in the ranks of each group.
#pragma once

#include "ccgraph/placements/infer_placements.h"

namespace ccgraph::placements {

/// Returns the axes that the members span; empty if they are no product of axes.
[[nodiscard]] std::optional<std::vector<size_t>> axesOfMembers(llvm::ArrayRef<int64_t> members, int64_t rank,
                                                               llvm::ArrayRef<NamedAxis> mesh);

} // namespace ccgraph::placements
