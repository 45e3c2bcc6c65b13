// Lists the values that a graph holds in memory at its peak.
//
// It uses the rules of ccgraph/ir/lifetimes.h. Ownership: refers to nodes of the graph. Failure: none. Cost: linear in
// nodes and edges.
#pragma once

#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph {

struct PeakHolder {
  /// the node that allocates the storage; may be an input
  const Node *owner = nullptr;
  int64_t bytes = 0;
};

struct PeakHolders {
  /// the first node at which the live bytes reach the peak; null for an empty graph
  const Node *at = nullptr;
  int64_t bytes = 0;
  /// the largest first, equal sizes in program order, without values of unknown size
  std::vector<PeakHolder> holders;
};
[[nodiscard]] PeakHolders holdersOfPeak(const Graph &graph);

/// Returns a text such as "live at mm_7: add_3 1.2 GiB, primals_4 800.0 MiB, and 231 others 12.1 GiB", with at most
/// `count` names.
[[nodiscard]] std::string str(const PeakHolders &peak, size_t count);

} // namespace ccgraph
