// GraphFacts holds the facts about one graph in a summary: its collectives, the computation between launch and wait,
// its memory.
//
// Ownership: plain values, without references to the graph. Failure: none; an unknown size is counted as unknown. Cost:
// one pass over the nodes, and that of peakMemory.
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
  int64_t bytes = 0; ///< of one rank: the larger of input and output, as NCCL counts sizes
  size_t unknownSizes = 0;
};

/// The number of computing steps (no views, no getitem) between launches and their first waits.
struct OverlapFacts {
  size_t waited = 0;  ///< launches with a wait
  size_t exposed = 0; ///< of these, those with no step in between
  int64_t median = 0; ///< steps
};

/// Calls of subgraphs that communicate, except control_deps: no pass moves what inline-subgraphs leaves there, and no
/// time of it is predicted.
struct SubgraphFacts {
  std::string target;     ///< the operator of the first such call; empty: there is none
  size_t collectives = 0; ///< in their subgraphs, counted for each call
};

struct GraphFacts {
  size_t nodes = 0;
  std::vector<CollectiveRow> rows; ///< by first appearance; those of a subgraph count for each call of it
  OverlapFacts overlap;            ///< of the graph itself
  SubgraphFacts subgraphs;
  std::vector<std::pair<std::string, size_t>> opaque; ///< opaque operators and their counts, the most frequent first
  int64_t peakBytes = 0;
  std::string digest; ///< see ccgraph/ir/digest.h

  [[nodiscard]] size_t launches() const;
};

[[nodiscard]] GraphFacts gatherFacts(const Graph &graph);

/// Returns the launches that OverlapFacts::exposed counts, in the order of their waits; linear in the nodes.
[[nodiscard]] std::vector<const Node *> launchesWithoutOverlap(const Graph &graph);

} // namespace ccgraph
