// Compares the prediction that offload-values acts on with the graph that it makes, on a captured training step and a
// machine with a link to the host.
#include "unit/passes/overlap/captured_step.h"

#include "ccgraph/ir/effects.h"

namespace ccgraph::test {
namespace {

class OffloadValues : public CapturedStep {
protected:
  OffloadValues() : CapturedStep("fsdp_8l_w64") {
    machine_.hostLink = {.bytesPerSecond = 50'000'000'000, .latencyPs = 10'000'000};
  }
  static size_t offloadsIn(const Graph &graph) {
    return static_cast<size_t>(llvm::count_if(graph, [](const Node *node) { return isOffload(*node); }));
  }
};

constexpr llvm::StringRef whole = "deduplicate-collectives,schedule-overlap";
constexpr llvm::StringRef both = "deduplicate-collectives,offload-values,schedule-overlap";

TEST_F(OffloadValues, TheScheduleThatFollowsTakesThePredictedTime) {
  for (int64_t percent : {60, 80}) {
    Outcome outcome = after(both, percent);
    const PassRun &offloaded = outcome.run.passes[1], &scheduled = outcome.run.passes[2];
    ASSERT_GT(statistic(offloaded, "offloaded"), 0);
    EXPECT_EQ(statistic(offloaded, "after-ns"), statistic(scheduled, "after-ns")) << percent << " % of the peak";
    EXPECT_EQ(offloadsIn(*outcome.graph), static_cast<size_t>(statistic(offloaded, "offloaded")));
  }
}

TEST_F(OffloadValues, ABudgetIsMetThatNoOrderMeets) {
  for (int64_t percent : {70, 80}) {
    EXPECT_GT(peakMemory(*after(whole, percent).graph).bytes, budgetOf(percent));
    EXPECT_LE(peakMemory(*after(both, percent).graph).bytes, budgetOf(percent));
  }
}

TEST_F(OffloadValues, TheThoroughLevelMeetsHalfOfThePeak) {
  const std::string level = pipelineOfLevel(3).str();
  EXPECT_LE(peakMemory(*after(level, 50).graph).bytes, budgetOf(50));
  machine_.hostLink = {};
  EXPECT_GT(peakMemory(*after(level, 50).graph).bytes, budgetOf(50));
}

TEST_F(OffloadValues, MoreMemoryIsNeverSlower) { expectMoreMemoryIsNeverSlower(both, {60, 70, 80, 90, 100}); }

TEST_F(OffloadValues, WithoutALinkNothingChanges) {
  machine_.hostLink = {};
  EXPECT_EQ(offloadsIn(*after(both, 60).graph), 0U);
  EXPECT_EQ(after(both, 60).run.timeAfter->total, after(whole, 60).run.timeAfter->total);
}

// Within the whole peak, the smaller budgets of the choice are tried too, and what they free makes the step faster.
TEST_F(OffloadValues, TheStepIsNotSlowerWithIt) {
  EXPECT_LE(after(both, 100).run.timeAfter->total, after(whole, 100).run.timeAfter->total);
}

} // namespace
} // namespace ccgraph::test
