// GivenDurations: assigns given durations to the nodes of a graph.
//
// A table names nodes, or it has only operators and the times of their calls in order. The latter are used where the
// graph has as many calls of the operator as the table. For other nodes, the node's provenance may give a duration.
//
// Ownership: copies; keeps no reference. Failure: none. Cost: linear in the graph.
#pragma once

#include "ccgraph/passes/cost.h"

namespace ccgraph {

class GivenDurations {
public:
  /// `durations` may be null.
  GivenDurations(const Graph &graph, const Durations *durations);
  /// Returns an empty value for a node without duration.
  [[nodiscard]] std::optional<Duration> of(const Node &node) const { return byId_[node.id()]; }

private:
  std::vector<std::optional<Duration>> byId_;
};

} // namespace ccgraph
