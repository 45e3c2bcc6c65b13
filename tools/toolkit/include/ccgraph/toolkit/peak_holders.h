// What a graph keeps in memory where it needs most.
//
// By the rules of ccgraph/ir/lifetimes.h. Ownership: refers to nodes of the graph. Failure: none. Cost: linear in nodes and
// edges.
#pragma once

#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph {

struct PeakHolder {
  /// the node that allocates it, an input perhaps
  const Node *owner = nullptr;
  int64_t bytes = 0;
};

struct PeakHolders {
  /// the first node at which so much is alive; null for an empty graph
  const Node *at = nullptr;
  int64_t bytes = 0;
  /// the largest first, those of equal size in program order; what has no known size is left out
  std::vector<PeakHolder> holders;
};
[[nodiscard]] PeakHolders holdersOfPeak(const Graph &graph);

/// "alive at mm_7: add_3 1.2 GiB, primals_4 800.0 MiB, and 231 others 12.1 GiB", with at most `count` names.
[[nodiscard]] std::string str(const PeakHolders &peak, size_t count);

} // namespace ccgraph
