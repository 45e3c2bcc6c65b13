// Compares the prediction that recompute-values acts on with the graph that it makes, on captured training steps.
#include "unit/passes/overlap/captured_step.h"

namespace ccgraph::test {
namespace {

class RecomputeValues : public CapturedStep {
protected:
  RecomputeValues() : CapturedStep("fsdp_8l_w64") {}
};

constexpr llvm::StringRef whole = "deduplicate-collectives,schedule-overlap";
constexpr llvm::StringRef both = "deduplicate-collectives,recompute-values{when=always},schedule-overlap";

TEST_F(RecomputeValues, TheScheduleThatFollowsTakesThePredictedTime) {
  for (int64_t percent : {98, 100}) {
    Outcome outcome = after(both, percent);
    const PassRun &recomputed = outcome.run.passes[1], &scheduled = outcome.run.passes[2];
    ASSERT_GT(statistic(recomputed, "recomputed"), 0);
    EXPECT_EQ(statistic(recomputed, "after-ns"), statistic(scheduled, "after-ns")) << percent << " % of the peak";
  }
}

TEST_F(RecomputeValues, ABudgetIsMetThatNoOrderMeets) {
  EXPECT_GT(peakMemory(*after(whole, 98).graph).bytes, budgetOf(98));
  EXPECT_LE(peakMemory(*after(both, 98).graph).bytes, budgetOf(98));
}

TEST_F(RecomputeValues, TheThoroughLevelMeetsIt) {
  EXPECT_GT(peakMemory(*after(pipelineOfLevel(2).str(), 98).graph).bytes, budgetOf(98));
  EXPECT_LE(peakMemory(*after(pipelineOfLevel(3).str(), 98).graph).bytes, budgetOf(98));
}

TEST_F(RecomputeValues, TheStepIsNotSlowerWithIt) {
  for (int64_t percent : {100, 110, 150})
    EXPECT_LE(after(both, percent).run.timeAfter->total, after(whole, percent).run.timeAfter->total)
        << percent << " % of the peak";
}

TEST_F(RecomputeValues, MoreMemoryIsNeverSlower) { expectMoreMemoryIsNeverSlower(both, {98, 100, 105, 110, 125, 150}); }

// A profile has the time of a fused kernel at one of its calls, and 0 at the others.
TEST_F(RecomputeValues, EachRepeatedCallHasATimeOfItsOwn) {
  Outcome outcome = after(both, 98);
  size_t repeated = 0;
  for (const Node *node : *outcome.graph) {
    const bool isView = node->op() && (node->op()->isView || node->target().str().contains("reshape"));
    if (!node->name().str().endswith("_again") || isView)
      continue;
    ++repeated;
    const Duration *original = durations_.find(node->provenance().origins[0].str());
    ASSERT_TRUE(original);
    EXPECT_GT(original->picoseconds, 0) << node->name().str().str();
  }
  EXPECT_GT(repeated, 0U);
}

class RepeatedGathers : public CapturedStep {
protected:
  RepeatedGathers() : CapturedStep("tp8_sp_32l") {}
};

// At 150 % of the peak, some parts are as fast as none. Their lower bound leaves more to chunk-collectives.
TEST_F(RepeatedGathers, OfEquallyFastPartsTheOneWithTheLowestBoundCounts) {
  Outcome none = after(whole, 150), some = after(both, 150);
  EXPECT_GT(statistic(some.run.passes[1], "recomputed"), 0);
  EXPECT_EQ(some.run.timeAfter->total, none.run.timeAfter->total);
  EXPECT_LT(some.run.bounds->anyMerging.picoseconds, none.run.bounds->anyMerging.picoseconds);
}

// At 110 % of the peak, repeated gathers would save less than a thousandth, and the passes after would gain less.
TEST_F(RepeatedGathers, MoreMemoryIsNeverSlower) {
  expectMoreMemoryIsNeverSlower(pipelineOfLevel(3).str(), {105, 110});
}

} // namespace
} // namespace ccgraph::test
