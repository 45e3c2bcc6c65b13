// Compares the prediction that keep-gathered acts on with the graph that it makes, on captured training steps.
#include "unit/passes/overlap/captured_step.h"

namespace ccgraph::test {
namespace {

class KeepGathered : public CapturedStep {
protected:
  KeepGathered() : CapturedStep("fsdp_16l_w8_small") {}
};

constexpr llvm::StringRef both = "keep-gathered,schedule-overlap";

// The pass compares problems of the scheduler, not graphs. If these were not the problems of the graphs that it would
// make, it would choose by wrong times.
TEST_F(KeepGathered, TheScheduleThatFollowsTakesThePredictedTime) {
  for (int64_t percent : {125, 200}) {
    Outcome outcome = after(both, percent);
    const PassRun &kept = outcome.run.passes[0], &scheduled = outcome.run.passes[1];
    ASSERT_GT(statistic(kept, "kept"), 0);
    EXPECT_EQ(statistic(kept, "after-ns"), statistic(scheduled, "after-ns")) << percent << " % of the peak";
    EXPECT_LT(statistic(kept, "after-ns"), after("schedule-overlap", percent).run.timeAfter->total / 1000);
    EXPECT_LE(peakMemory(*outcome.graph).bytes, budgetOf(percent));
  }
}

TEST_F(KeepGathered, NothingIsKeptWithoutMemory) {
  Outcome outcome = after(both, 100);
  EXPECT_EQ(outcome.run.passes[0].changed, Changed::No);
}

TEST_F(KeepGathered, TheThoroughLevelKeepsResults) {
  Outcome brief = after(pipelineOfLevel(2).str(), 150), thorough = after(pipelineOfLevel(3).str(), 150);
  const PassRun &kept = runOf(thorough, "keep-gathered");
  EXPECT_GT(statistic(kept, "kept"), 0) << kept.pass;
  EXPECT_LT(thorough.run.timeAfter->total, brief.run.timeAfter->total);
}

TEST_F(KeepGathered, MoreMemoryIsNeverSlower) { expectMoreMemoryIsNeverSlower(both, {100, 110, 125, 150, 200}); }

} // namespace
} // namespace ccgraph::test
