// Rewrites one bucket: its run of launches becomes one collective.
//
//   grouped  c1 = ar(a); c2 = ar(b); ...; w1 = wait(c1); ...; w2 = wait(c2)
//         -> c = ar_coalesced([a, b]); ...; w1 = wait(c[0]); ...; w2 = wait(c[1])
//   flat     -> c = ar(cat(a, b)); ...; w = wait(c); w1 = w[0 : n1] as a; ...; w2 = w[n1 : n1 + n2] as b
//
// For a gather the flat result holds one row a rank, and a member is a column of it (copied, so that it is contiguous
// again). For a scatter the members are columns of a matrix with one row a rank. For an all_to_all each rank's piece
// holds the pieces of all members. If a node could distinguish a piece of a buffer from a value with its own memory
// (Access::Place), the piece is cloned.
//
// Ownership: new nodes belong to the graph; the old launches and waits are erased. Each new node has the frame and
// origins of the nodes that it replaces.
// Failure: none; the choice has ensured that sizes are numbers and inputs contiguous.
// Cost: linear in members (times ranks for all_to_all).
#pragma once

#include "rewrite/bucket.h"

namespace ccgraph {

[[nodiscard]] MergedEntry rewriteGrouped(Graph &graph, const Bucket &bucket);
[[nodiscard]] MergedEntry rewriteFlat(Graph &graph, const Bucket &bucket);

/// Returns the split sizes of an all_to_all, in rows; empty if one of them is not a number.
[[nodiscard]] std::optional<llvm::SmallVector<int64_t, 8>> splitSizes(const Node &allToAll, int position);

} // namespace ccgraph
