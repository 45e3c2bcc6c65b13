// On random programs, under budgets from what the program needs upwards: no launch is left below a place that has room.
#include "completeness/slow_program.h"
#include "support/random_program.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/pass_manager.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <set>

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
  writeFxText(os, graph);
  return os.str();
}

int64_t moved(const PipelineRun &run) {
  for (const auto &[name, value] : run.passes.back().statistics)
    if (name == "moved")
      return value;
  return 0;
}

std::set<std::string> groupsOf(const Graph &graph) {
  std::set<std::string> groups;
  for (const Node *node : graph)
    if (collectiveOf(*node))
      groups.insert(groupIdOf(*node).text);
  return groups;
}

} // namespace

TEST(RandomRisesTest, NoLaunchCanRiseFurther) {
  int64_t rises = 0;
  int tried = 0;
  for (uint32_t seed = 0; seed != 2000; ++seed) {
    Context context;
    RandomProgram program = makeRandomProgram(context, numbers(seed));
    if (groupsOf(*program.graph).size() > 1)
      continue; // because across groups the pass keeps more order than it must, which this oracle does not know
    ++tried;
    int64_t peak = peakMemory(*program.graph).bytes;
    for (int64_t budget : {peak, peak + peak / 8, 2 * peak, int64_t{1} << 40}) {
      std::unique_ptr<Graph> graph = program.graph->clone();
      PassManagerOptions options;
      options.memoryBudget = budget;
      llvm::Expected<PipelineRun> run =
          runPipeline(*graph, llvm::cantFail(Pipeline::parse("raise-collectives")), options);
      ASSERT_TRUE(static_cast<bool>(run)) << "seed " << seed << ": " << llvm::toString(run.takeError());
      rises += moved(*run);
      Left left = launchesThatCouldRise(*graph, budget);
      ASSERT_TRUE(left.empty()) << "seed " << seed << ", budget " << budget << ": " << left.front() << "\nbefore\n"
                                << textOf(*program.graph) << "after\n"
                                << textOf(*graph);
    }
  }
  std::printf("programs %d, launches moved %lld\n", tried, static_cast<long long>(rises));
  EXPECT_GT(tried, 20);
  EXPECT_GT(rises, 0);
}
