// Finds groups that are dimensions of a device mesh.
//
// A log's fx_graph_runnable states the size of a group and the position of its own rank in it. A DeviceMesh states the
// ranks along each of its dimensions, but not which group belongs to which dimension. If only one dimension has the
// size and the rank at that position, the group is assumed to be that dimension, and its members are then known on
// every rank:
//   group 41 of 4 ranks, this rank 0 its first; DeviceMesh((fsdp=4, tp=2), 'cuda', stride=(2, 1)), 8 ranks
//   ->  41 is fsdp: [0, 2, 4, 6] and [1, 3, 5, 7]
//
// Ownership: plain values. Failure: none; a group that may be either of two dimensions stays as it is. Cost: groups x
// dimensions, plus the ranks.
#pragma once

#include "ccgraph/frontend/trace_meshes.h"
#include "ccgraph/ir/group_table.h"

#include "llvm/ADT/ArrayRef.h"

namespace ccgraph {

/// Returns the number of ranks of a mesh.
[[nodiscard]] int64_t ranksOf(const TraceMesh &mesh);

/// Returns the rank's position in a group, which a reader stored as the attribute `place`.
[[nodiscard]] std::optional<int64_t> placeOf(const Group &group);

/// Sets the members of the table's groups that are still assumed. `rank` is the rank whose positions the table has;
/// `worldSize` is 0 if unknown.
void takeFromMeshes(GroupTable &groups, llvm::ArrayRef<TraceMesh> meshes, int64_t rank, int64_t worldSize);

} // namespace ccgraph
