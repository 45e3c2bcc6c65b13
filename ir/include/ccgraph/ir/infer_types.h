// Type inference: types for the results of a graph that was printed without them, from those of its inputs.
//
// The shape rules of the operators (op_def.h) answer only what is certain, since the verifier holds graphs to them. Here
// PyTorch's defaults are taken as well: f32 as the default dtype, and layouts as FakeTensor gives them. So a type that is
// inferred says what PyTorch most likely did; it is never held against a graph.
//
// A size that only data tell gets a new symbol, u<number>, at the node that reads it.
//
// Ownership: types are the context's. Failure: none; a result without a rule stays unknown, and with it what follows from
// it; the report counts these by operator. Cost: linear in the nodes.
#pragma once

#include "ccgraph/ir/graph.h"

#include <string>
#include <utility>
#include <vector>

namespace ccgraph {

struct InferenceReport {
  size_t inferred = 0; ///< results that got a type
  /// Operators whose operands are known and whose results are not, and how often; by first appearance.
  std::vector<std::pair<std::string, size_t>> withoutRule;
};

/// Most nodes that yield a tensor have no type: the graph was printed without types.
[[nodiscard]] bool lacksTypes(const Graph &graph);

/// Gives types to the nodes that have none, in subgraphs too, and to elements of lists. A node that has a whole type keeps it.
InferenceReport inferTypes(Graph &graph);

} // namespace ccgraph
