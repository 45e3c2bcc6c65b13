// Tests that the passes and the checker, which compute memory independently, agree on the peak for any order of a
// program.
#include "checks.h"
#include "program.h"
#include "storages.h"
#include "support/random_program.h"

#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/ir/snapshot.h"
#include "ccgraph/passes/pass_manager.h"

#include <gtest/gtest.h>

namespace ccgraph::legality {
namespace {

constexpr uint32_t numPrograms = 100;

int64_t checkersPeak(const Graph &graph) {
  GraphSnapshot snapshot(graph);
  Program program(snapshot);
  return peakBytes(program, Storages(program));
}

/// Reorders the graph to the least memory that the passes find.
void minimizeMemory(Graph &graph) {
  PassManagerOptions options;
  options.memoryBudget = 0;
  llvm::consumeError(runPipeline(graph, llvm::cantFail(Pipeline::parse("schedule-overlap")), options).takeError());
}

TEST(Peak, IsOneNumberForThePassesAndTheChecker) {
  for (uint32_t seed = 0; seed < numPrograms; ++seed) {
    Context context;
    test::RandomProgram program = test::makeRandomProgram(context, test::randomNumbers(seed));
    ASSERT_EQ(checkersPeak(*program.graph), peakMemory(*program.graph).bytes) << "seed " << seed;
    minimizeMemory(*program.graph);
    ASSERT_EQ(checkersPeak(*program.graph), peakMemory(*program.graph).bytes) << "seed " << seed << ", reordered";
  }
}

} // namespace
} // namespace ccgraph::legality
