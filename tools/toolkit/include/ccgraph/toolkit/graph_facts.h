// GraphFacts: what a summary says of one graph: its collectives, how much stands between launch and wait, its memory.
//
// Ownership: plain values, nothing refers to the graph. Failure: none; a size that is not known is counted as unknown.
// Cost: one pass over the nodes, and that of peakMemory.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/op_def.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ccgraph {

/// The collectives of one kind on one group.
struct CollectiveRow {
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::string group; ///< text of their group
  size_t launches = 0;
  int64_t bytes = 0; ///< of one rank: the larger of what goes in and what comes out, as NCCL counts sizes
  size_t unknownSizes = 0;
};

/// How many computing steps (no views, no getitem) are issued between launches and their first waits.
struct OverlapFacts {
  size_t waited = 0;  ///< launches with a wait
  size_t exposed = 0; ///< of these, with no step in between
  int64_t median = 0; ///< steps
};

struct GraphFacts {
  size_t nodes = 0;
  std::vector<CollectiveRow> rows; ///< by first appearance; subgraphs included
  OverlapFacts overlap;            ///< of the graph itself
  std::vector<std::pair<std::string, size_t>>
      opaque; ///< operators that nothing is known of, and how often; the most frequent first
  int64_t peakBytes = 0;
  std::string digest; ///< see ccgraph/ir/digest.h

  [[nodiscard]] size_t launches() const;
};

[[nodiscard]] GraphFacts gatherFacts(const Graph &graph);

} // namespace ccgraph
