// Splice: copies a graph without control_deps and invoke_subgraph, whose bodies become ordinary nodes.
//
//   y = control_deps((p,), body, x, 2)   with body(a, n): b = mul(a, n); c = all_reduce(b, "sum", "tp"); return c
//   ->  b = mul(x, 2); c = all_reduce(b, "sum", "tp");  and y is c
//   y = invoke_subgraph(body, "layer", x, 2)   is the same call, ordered after nothing
//
// The dependences of a control_deps only order it, and a plan issues steps in program order anyway. Unlike the pass
// inline-control-deps this function accepts any body, since the result is not optimized further.
//
// Ownership: the result is a copy. Failure: lower.operator, if a body holds a subgraph of its own, or returns a value
// that is no node of it. Cost: linear.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace ccgraph::lower {

/// Returns null if the graph has neither.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> spliced(const Graph &graph);

} // namespace ccgraph::lower
