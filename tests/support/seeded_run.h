// Runs with seeded inputs: how to ask for one, and what two of them differ in, as text.
//
// Ownership: a request refers to the graph. Failure: none. Cost: the inputs are made.
#pragma once

#include "ccgraph/runtime/equivalence.h"

#include <string>

namespace ccgraph::test {

/// One program on so many ranks, each with the inputs of its number and the seed.
[[nodiscard]] runtime::RunRequest seededRequest(const Graph &graph, size_t ranks, uint64_t seed = 1);

/// A line for each failure and each difference; empty where there is none.
[[nodiscard]] std::string differencesIn(const runtime::EquivalenceReport &report);

/// The first value in which an engine's run differs from the interpreter's, to the bit; empty where there is none. The interpreter
/// shows inputs that may have been written, an engine those that were; `inputs` is what both were given.
[[nodiscard]] std::string firstDifference(const runtime::RunResult &wanted, const runtime::RunResult &got,
                                          const std::vector<TensorMap> &inputs);

} // namespace ccgraph::test
