// cutCandidates: the ways in which the axes of a mesh can cut a tensor of one device to the sizes that the ranks have.
//
// Ownership: plain values. Failure: none; an empty list if no way fits. Cost: (dimensions + 1) to the power of the
// axes, times the ranks.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/placement.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace ccgraph {

/// Returns placements of shards and replicas alone; where two axes cut one dimension, each order is one candidate.
/// `ofRanks`: the sizes on each rank.
[[nodiscard]] std::vector<TensorPlacement> cutCandidates(llvm::ArrayRef<NamedAxis> mesh, IntListRef whole,
                                                         llvm::ArrayRef<IntList> ofRanks);
/// Returns "shard(0) over dp", "shard(0) over tp, then fsdp"; "replicate" if no axis cuts.
[[nodiscard]] std::string cutText(const TensorPlacement &placement, llvm::ArrayRef<NamedAxis> mesh);
/// Returns the sizes of a tensor; empty for another value and for symbolic sizes.
[[nodiscard]] std::optional<IntList> knownSizes(const Node *node);

} // namespace ccgraph
