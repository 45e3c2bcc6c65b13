// What the suite is run for: ccgraph_conformance --engine NAME [--kernels NAME,...]. One suite holds all engines to the interpreter, so that a new
// engine has nothing to do but to pass it; and providers of kernels to PyTorch's recorded values.
//
// Where an engine runs each rank in a process of its own, the suite runs in each of them, and all run the same tests: those for as many
// ranks as there are processes.
//
// Ownership: plain functions. Failure: what a test asks for and cannot have ends the program. Cost: none.
#pragma once

#include "ccgraph/runtime/engine.h"

namespace ccgraph::test {

void setEngineUnderTest(const runtime::Engine &engine, runtime::ProcessPlace place);
void setKernelsUnderTest(std::vector<std::string> providers);
[[nodiscard]] const runtime::Engine &engineUnderTest();
/// builtin unless another is named
[[nodiscard]] const std::vector<std::string> &kernelsUnderTest();

/// Programs for so many ranks can run here.
[[nodiscard]] bool runsRanks(size_t ranks);
/// Steps can be given stated times here.
[[nodiscard]] bool runsPaced();
/// Floats are added in an order that is its library's own, and rounded as that does.
[[nodiscard]] bool addsInItsOwnOrder();
/// How many of these orders of steps there are to try: where none is drawn, one.
[[nodiscard]] uint64_t seedsToTry(uint64_t most);
/// From 1 to `most`, those that can.
[[nodiscard]] std::vector<size_t> rankCounts(size_t most);
/// This process runs the rank.
[[nodiscard]] bool runs(size_t rank);
/// The results of this rank come to this process.
[[nodiscard]] bool sees(size_t rank);

/// Ends the test program where the run fails, because the ranks' processes would not go on together.
[[nodiscard]] runtime::RunResult mustRun(const runtime::PlanRequest &request);

} // namespace ccgraph::test
