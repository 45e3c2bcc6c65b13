// inCopy: nodes of a graph in a copy of it.
//
// Ownership: nodes belong to their graphs. Failure: none; the copy has a node of each name, or the result is null.
// Cost: a search by name for each node.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

[[nodiscard]] inline Node *inCopy(Node *node, const Graph &copy) {
  return node ? copy.find(node->name().str()) : nullptr;
}

/// Returns the nodes of the copy; nodes keep their names.
template <typename Nodes>
[[nodiscard]] Nodes inCopy(const Nodes &nodes, const Graph &copy) {
  Nodes same;
  for (Node *node : nodes)
    same.push_back(inCopy(node, copy));
  return same;
}

} // namespace ccgraph
