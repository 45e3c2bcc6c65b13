// Splice: a program without control_deps, whose bodies are nodes of the program like others.
//
//   y = control_deps((p,), body, x, 2)   with body(a, n): b = mul(a, n); c = all_reduce(b, "sum", "tp"); return c
//   ->  b = mul(x, 2); c = all_reduce(b, "sum", "tp");  and y is c
//
// What a control_deps depends on it only orders, and a plan issues steps in the order of the program anyway. Unlike the pass
// inline-control-deps this takes any body: it is not there to be optimised further.
//
// Ownership: the result is a copy. Failure: lower.operator, where a body holds a subgraph of its own, or yields what is no node of
// it. Cost: linear.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace ccgraph::lower {

/// Null where there is none to splice.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> spliced(const Graph &graph);

} // namespace ccgraph::lower
