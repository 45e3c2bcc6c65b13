// The results of a stage's graph, as actions of a pipeline use them.
//
// Ownership: pointers into the graph. Failure: none. Cost: linear in the results.
#pragma once

#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph {

/// Returns the nodes that the graph returns; null for a result that is no node.
[[nodiscard]] std::vector<const Node *> resultsOf(const Graph &graph);

/// Returns the placeholder of this name; null if there is none.
[[nodiscard]] const Node *placeholderOf(const Graph &graph, llvm::StringRef name);

/// Returns the placeholder or the result of this name; null if there is none.
[[nodiscard]] const Node *valueOf(const Graph &graph, llvm::StringRef name);

} // namespace ccgraph
