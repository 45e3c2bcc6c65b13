// Groups that are dimensions of a device mesh.
//
// A log's fx_graph_runnable says how large a group is and where its own rank stands in it; a DeviceMesh says how ranks lie
// along each of its dimensions, but not which group belongs to which. Where one dimension alone has the size and puts the rank
// at that place, the group is taken to be that dimension, and its members are known on every rank:
//   group 41 of 4 ranks, this rank 0 its first; DeviceMesh((fsdp=4, tp=2), 'cuda', stride=(2, 1)), 8 ranks
//   ->  41 is fsdp: [0, 2, 4, 6] and [1, 3, 5, 7]
//
// Ownership: plain values. Failure: none; what two dimensions may be stays as it is. Cost: groups x dimensions, plus the ranks.
#pragma once

#include "ccgraph/frontend/trace_meshes.h"
#include "ccgraph/ir/group_table.h"

#include "llvm/ADT/ArrayRef.h"

namespace ccgraph {

/// The number of ranks of a mesh.
[[nodiscard]] int64_t ranksOf(const TraceMesh &mesh);

/// A group whose place in it a reader has kept as the attribute `place`.
[[nodiscard]] std::optional<int64_t> placeOf(const Group &group);

/// Gives their members to the groups of the table that are still assumed. `rank` is the one whose places the table has,
/// `worldSize` 0 where nobody says.
void takeFromMeshes(GroupTable &groups, llvm::ArrayRef<TraceMesh> meshes, int64_t rank, int64_t worldSize);

} // namespace ccgraph
