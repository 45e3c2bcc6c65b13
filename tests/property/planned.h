// Runs random programs as plans, on the local engine.
//
// Ownership: a plan refers to the Context of its graph. Failure: noted in rapidcheck's log, or returned as text. Cost:
// one lowering, and one run of each kind.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/object_meaning.h"
#include "ccgraph/ir/plan.h"
#include "ccgraph/runtime/interpreter.h"

#include <memory>
#include <string>

namespace ccgraph::test {

/// Returns null if lowering refuses the program, with the reason in the log, or if its calls of subgraphs cannot be
/// inlined.
std::unique_ptr<Plan> planOf(const Graph &graph, const ObjectMeanings &objects);
/// Returns "" if the local engine gives the interpreter's results bitwise.
std::string differenceOnLocal(const runtime::RunRequest &request, const Plan &plan, uint64_t seed);

} // namespace ccgraph::test
