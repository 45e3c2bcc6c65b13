// GivenDurations: which duration belongs to which node of a graph.
//
// A table names nodes, or knows only operators and gives the times of their calls in order; those hold where the graph
// has as many calls of the operator as the table. What a table does not say, the node's provenance may.
//
// Ownership: copies; refers to nothing afterwards. Failure: none. Cost: linear in the graph.
#pragma once

#include "ccgraph/passes/cost.h"

namespace ccgraph {

class GivenDurations {
public:
  /// `durations` may be null.
  GivenDurations(const Graph &graph, const Durations *durations);
  /// Empty for a node of which nothing is known.
  [[nodiscard]] std::optional<Duration> of(const Node &node) const { return byId_[node.id()]; }

private:
  std::vector<std::optional<Duration>> byId_;
};

} // namespace ccgraph
