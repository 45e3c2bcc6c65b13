// The pseudo-random inputs of the single step.
//
// A float is any number of the ring, a bool is 0 or 1, and an integer is below the smallest size that its uses as an
// index allow, which is found by walking back from those uses.
//
// Ownership: values. Failure: a text: an input whose type is unknown or has symbolic sizes. Cost: linear
// in the graph and in the inputs.
#pragma once

#include "array.h"

#include "ccgraph/ir/graph.h"

namespace ccgraph::equality {

/// Returns the placeholders in order.
[[nodiscard]] std::vector<const Node *> placeholdersOf(const Graph &graph);
[[nodiscard]] llvm::Expected<std::vector<Array>> makeInputs(const Graph &graph, const Field &field);

} // namespace ccgraph::equality
