// Selects the subject of the suite: ccgraph_conformance --engine NAME [--kernels NAME,...]. One suite compares all
// engines with the interpreter, so a new engine only has to pass it. It also compares kernel providers with PyTorch's
// recorded values.
//
// If an engine runs each rank in a process of its own, the suite runs in each process, and all processes run the same
// tests: those for as many ranks as there are processes.
//
// Ownership: plain functions. Failure: a requirement of a test that cannot be met ends the program. Cost: none.
#pragma once

#include "ccgraph/runtime/engine.h"

namespace ccgraph::test {

void setEngineUnderTest(const runtime::Engine &engine, runtime::ProcessPlace place);
void setKernelsUnderTest(std::vector<std::string> providers);
[[nodiscard]] const runtime::Engine &engineUnderTest();
/// Returns the providers; builtin by default.
[[nodiscard]] const std::vector<std::string> &kernelsUnderTest();

/// Returns true if programs for this number of ranks can run here.
[[nodiscard]] bool runsRanks(size_t ranks);
/// Returns true if steps can have simulated durations here.
[[nodiscard]] bool runsPaced();
/// Returns true if the engine's library determines the order and rounding of float additions.
[[nodiscard]] bool addsInItsOwnOrder();
/// Returns how many orders of steps to try, at most `most`; one if the engine does not draw an order.
[[nodiscard]] uint64_t seedsToTry(uint64_t most);
/// Returns the numbers of ranks from 1 to `most` that can run.
[[nodiscard]] std::vector<size_t> rankCounts(size_t most);
/// Returns true if this process runs the rank.
[[nodiscard]] bool runs(size_t rank);
/// Returns true if this process receives the results of the rank.
[[nodiscard]] bool sees(size_t rank);

/// Runs the plans; a failed run ends the test program, because the ranks' processes would no longer do the same.
[[nodiscard]] runtime::RunResult mustRun(const runtime::PlanRequest &request);

} // namespace ccgraph::test
