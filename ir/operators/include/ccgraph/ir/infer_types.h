// Type inference: computes types for the results of a graph that was printed without them, from the types of its
// inputs.
//
// The verifier checks graphs against the certain results of the type rules (type_inference.h). Here the assumed results
// count as well: they use PyTorch's defaults, f32 as the default dtype, and layouts as FakeTensor computes them. So an
// inferred type describes what PyTorch most likely did; it never makes a graph invalid.
//
// A data-dependent size gets a new symbol, u<number>, at the node that reads it.
//
// Ownership: the context owns types. Failure: none. A result without a rule stays unknown, and so do the results that
// depend on it; the report counts these by operator. Cost: linear in the nodes.
#pragma once

#include "ccgraph/ir/graph.h"

#include <string>
#include <utility>
#include <vector>

namespace ccgraph {

struct InferenceReport {
  size_t inferred = 0; ///< number of results that got a type
  /// Operators with known operands and unknown results, with their counts, in order of first appearance.
  std::vector<std::pair<std::string, size_t>> withoutRule;
};

/// Returns true if most nodes with a tensor result have no type: the graph was printed without types.
[[nodiscard]] bool lacksTypes(const Graph &graph);

/// Gives types to the nodes that have none, in subgraphs too, and to elements of lists. A node with a complete type
/// keeps it.
InferenceReport inferTypes(Graph &graph);

} // namespace ccgraph
