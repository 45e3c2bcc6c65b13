// On random programs: sink-waits leaves no wait above a place that has room, under budgets from the program's peak
// upwards.
#include "completeness/slow_program.h"
#include "support/random_program.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/pass_manager.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

std::vector<uint32_t> numbers(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> list(40 + random() % 400);
  for (uint32_t &number : list)
    number = random() >> 12;
  return list;
}

std::string textOf(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::cantFail(writeFxText(os, graph));
  return os.str();
}

int64_t moved(const PipelineRun &run) {
  for (const auto &[name, value] : run.passes.back().statistics)
    if (name == "moved")
      return value;
  return 0;
}

/// Runs the pipeline and asserts that `what` finds no possible change.
void leavesNothing(llvm::StringRef pipeline, Left (*what)(const Graph &graph, int64_t budget),
                   const std::vector<double> &budgets) {
  int64_t moves = 0;
  for (uint32_t seed = 0; seed != 2000; ++seed) {
    Context context;
    RandomProgram program = makeRandomProgram(context, numbers(seed));
    int64_t peak = peakMemory(*program.graph).bytes;
    for (double times : budgets) {
      auto budget = static_cast<int64_t>(times * static_cast<double>(peak));
      std::unique_ptr<Graph> graph = program.graph->clone();
      PassManagerOptions options;
      options.memoryBudget = budget;
      llvm::Expected<PipelineRun> run = runPipeline(*graph, llvm::cantFail(Pipeline::parse(pipeline)), options);
      ASSERT_TRUE(static_cast<bool>(run)) << "seed " << seed << ": " << llvm::toString(run.takeError());
      moves += moved(*run);
      Left left = what(*graph, budget);
      ASSERT_TRUE(left.empty()) << "seed " << seed << ", budget " << budget << ": " << left.front() << "\nbefore\n"
                                << textOf(*program.graph) << "after\n"
                                << textOf(*graph);
    }
  }
  std::printf("%lld moved\n", static_cast<long long>(moves));
  EXPECT_GT(moves, 1000);
}

} // namespace

TEST(RandomSinksTest, NoWaitCanSinkFurther) { leavesNothing("sink-waits", waitsThatCouldSink, {1, 1.125, 2, 1e6}); }
