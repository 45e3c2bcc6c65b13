// Runs programs with seeded inputs, and describes the difference of two runs as text.
//
// Ownership: a request refers to the graph. Failure: none. Cost: makes the inputs.
#pragma once

#include "ccgraph/runtime/equivalence.h"

#include <string>

namespace ccgraph::test {

/// Returns a request that runs one program on this number of ranks; the inputs of a rank depend on its number and the
/// seed.
[[nodiscard]] runtime::RunRequest seededRequest(const Graph &graph, size_t ranks, uint64_t seed = 1);

/// Returns a line for each failure and each difference; empty if there is none.
[[nodiscard]] std::string differencesIn(const runtime::EquivalenceReport &report);

/// Returns the first value in which an engine's run differs bitwise from the interpreter's; empty if there is none. The
/// interpreter returns inputs that may have been written, and an engine returns those that were; `inputs` are the
/// inputs of both runs.
[[nodiscard]] std::string firstDifference(const runtime::RunResult &wanted, const runtime::RunResult &got,
                                          const std::vector<TensorMap> &inputs);

} // namespace ccgraph::test
