// shard_dim_alltoall, which is complete when it returns, as data movements around an all_to_all and its wait.
//
//   y = shard_dim_alltoall(x, g, d, "tp")    of n ranks: block k of x along d goes to rank k, and the block from rank k
//                                            is part k of y along g
//   ->  j = cat([slices of x along d])       the blocks as rows, in the order of ranks; x itself where d is 0
//       w = wait(all_to_all_single(j, [r, r], [r, r], "tp"))
//       y = cat([slices of w along 0], g)    w itself where g is 0
//
// Ownership: plain values. Failure: an empty result if a size is no number, the tensor has gaps, or sizes do not fit.
// Cost: linear in the ranks.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/graph.h"

#include <optional>

namespace ccgraph {

struct ShardDim {
  int64_t gather = 0;
  int64_t shard = 0;
  int64_t ranks = 0;
};

/// Returns an empty value for any other node.
[[nodiscard]] std::optional<ShardDim> shardDimOf(const Node &node);

/// Replaces the call by the exchange, and records this in the certificate. Returns the launch.
Node *buildShardDim(Graph &graph, Node *node, const ShardDim &dims, Certificate &certificate);

} // namespace ccgraph
