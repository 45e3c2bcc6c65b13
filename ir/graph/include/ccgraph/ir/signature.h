// The inputs and outputs of a graph as nodes, in the order in which callers count them.
//
// Ownership: borrows the graph. Failure: none. Cost: placeholdersOf is linear in the nodes of the graph, outputLeavesOf
// in the outputs.
#pragma once

#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph {

/// Returns the placeholders in order.
[[nodiscard]] std::vector<const Node *> placeholdersOf(const Graph &graph);
/// Returns the leaves of the output, of tuples and lists in order; null for a leaf that is no node. A graph without an
/// output has none.
[[nodiscard]] std::vector<const Node *> outputLeavesOf(const Graph &graph);

} // namespace ccgraph
