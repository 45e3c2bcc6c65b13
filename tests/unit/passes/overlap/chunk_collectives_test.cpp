// Compares the prediction that chunk-collectives acts on with the graph that it makes, on a captured training step.
#include "unit/passes/overlap/captured_step.h"

namespace ccgraph::test {
namespace {

/// A captured step of tensor and sequence parallelism, with its durations.
class ChunkCollectives : public CapturedStep {
protected:
  ChunkCollectives() : CapturedStep("tp8_sp_32l") {}
};

constexpr llvm::StringRef both = "chunk-collectives{walks=16},schedule-overlap";

// The pass searches schedules of a copy, whose nodes it prices by another model. If these were not the schedules of the
// graph that it makes, it would choose by wrong times.
TEST_F(ChunkCollectives, TheScheduleThatFollowsTakesThePredictedTime) {
  Outcome whole = after("schedule-overlap", 100), outcome = after(both, 100);
  const PassRun &cut = outcome.run.passes[0], &scheduled = outcome.run.passes[1];
  ASSERT_GT(statistic(cut, "regions"), 0);
  EXPECT_EQ(statistic(cut, "before-ns"), statistic(whole.run.passes[0], "after-ns"));
  EXPECT_EQ(statistic(cut, "after-ns"), statistic(scheduled, "after-ns"));
  EXPECT_LT(statistic(cut, "after-ns"), statistic(cut, "before-ns"));
  EXPECT_LE(statistic(cut, "bound-after-ns"), statistic(cut, "after-ns"));
  EXPECT_LE(peakMemory(*outcome.graph).bytes, peak_);
}

// The schedule that follows has more trial schedules, and may use more memory than the choice of the pieces.
TEST_F(ChunkCollectives, TheScheduleThatFollowsIsAtLeastAsFastAsPredicted) {
  Outcome outcome = after(pipelineOfLevel(3).str(), 100);
  const PassRun &cut = runOf(outcome, "chunk-collectives"), &scheduled = runOf(outcome, "schedule-overlap");
  ASSERT_GT(statistic(cut, "regions"), 0);
  EXPECT_LE(statistic(scheduled, "after-ns"), statistic(cut, "after-ns"));
}

TEST_F(ChunkCollectives, ExposesAThirdLessCommunication) {
  Outcome whole = after("schedule-overlap", 100), outcome = after(both, 100);
  EXPECT_LT(outcome.run.timeAfter->exposed * 3, whole.run.timeAfter->exposed * 2 + whole.run.timeAfter->exposed / 10);
}

TEST_F(ChunkCollectives, NothingIsCutWhereBitsCount) {
  Outcome outcome = after(both, 100, /*bitwise=*/true);
  EXPECT_EQ(outcome.run.passes[0].changed, Changed::No);
}

TEST_F(ChunkCollectives, MoreMemoryIsNeverSlower) { expectMoreMemoryIsNeverSlower(both, {100, 110, 150}); }

} // namespace
} // namespace ccgraph::test
