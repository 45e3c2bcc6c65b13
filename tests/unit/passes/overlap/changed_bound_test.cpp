// Compares the bound of all choices of nodes with what the passes that choose make of random and captured programs.
#include "ccgraph/passes/bounds.h"
#include "support/random_program.h"
#include "unit/passes/overlap/captured_step.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdio>

namespace ccgraph::test {
namespace {

int64_t changedBound(Graph &graph, const Durations *durations, bool bitwise = false) {
  Analyses analyses(graph);
  CostsOnDemand costs(graph, *machinePreset("h100x8-ndr"), durations);
  PassContext context("test", {.analyses = analyses, .costs = costs, .bitwise = bitwise});
  return predictChangedBound(graph, context).picoseconds;
}

/// Runs a pipeline of passes that choose, and then a schedule.
PipelineRun changed(Graph &graph, llvm::StringRef pipeline, const Durations *durations) {
  PassManagerOptions options;
  options.predictTimes = true;
  options.limitMemory = options.checkLegality = options.verifyEach = false;
  options.machine = machinePreset("h100x8-ndr");
  options.durations = durations;
  return llvm::cantFail(runPipeline(graph, llvm::cantFail(Pipeline::parse(pipeline)), options));
}

constexpr llvm::StringRef choices[] = {
    "keep-gathered{walks=2 beam=8},schedule-overlap{walks=2 beam=8}",
    "chunk-collectives{pieces=2},schedule-overlap{walks=2 beam=8}",
    "chunk-collectives{pieces=3},schedule-overlap{walks=2 beam=8}",
    "recompute-values,keep-gathered{walks=2 beam=8},chunk-collectives{pieces=2},schedule-overlap{walks=2 beam=8}",
};

// Bounds of whole programs are not compared with one another: merged bounds assume the best rate of the largest
// possible bucket, and pieces beside a whole collective make larger buckets possible, removed collectives smaller ones.
TEST(ChangedBound, IsNeverAboveWhatThePassesMakeOfRandomPrograms) {
  constexpr uint32_t programs = 40;
  int changes = 0;
  for (uint32_t seed = 1; seed <= programs; ++seed) {
    Context context;
    RandomProgram program = makeRandomProgram(context, randomNumbers(seed));
    (void)changed(*program.graph, "inline-control-deps,functionalize-collectives,deduplicate-collectives", nullptr);
    const int64_t bound = changedBound(*program.graph, nullptr);
    for (llvm::StringRef choice : choices) {
      std::unique_ptr<Graph> graph = program.graph->clone();
      const PipelineRun run = changed(*graph, choice, nullptr);
      ASSERT_LE(bound, run.timeAfter->total) << "seed " << seed << ", " << choice.str();
      changes += llvm::any_of(run.passes, [](const PassRun &pass) {
        return pass.changed == Changed::Yes && pass.pass.find("schedule") == std::string::npos;
      });
    }
  }
  std::printf("%u programs: %d pipelines changed nodes\n", programs, changes);
  EXPECT_GE(changes, 20);
}

class ChangedBoundOfTensorParallelStep : public CapturedStep {
protected:
  ChangedBoundOfTensorParallelStep() : CapturedStep("tp8_sp_32l") {}
};

TEST_F(ChangedBoundOfTensorParallelStep, IsBelowThatOfTheNodesAndOfThePieces) {
  const int64_t bound = changedBound(*graph_, &durations_);
  const Outcome whole = after("schedule-overlap{walks=2 beam=8}", 100);
  EXPECT_LT(bound, whole.run.bounds->anyMerging.picoseconds);
  EXPECT_FALSE(whole.run.bounds->anyChange);
  const PipelineRun run =
      changed(*graph_->clone(), "chunk-collectives{pieces=4},schedule-overlap{walks=2 beam=8}", &durations_);
  ASSERT_EQ(run.passes.front().changed, Changed::Yes);
  EXPECT_LE(bound, run.bounds->anyMerging.picoseconds);
  ASSERT_TRUE(run.bounds->anyChange);
  EXPECT_EQ(run.bounds->anyChange->picoseconds, bound);
}

TEST_F(ChangedBoundOfTensorParallelStep, WhereBitsCountNothingIsCut) {
  EXPECT_EQ(changedBound(*graph_, &durations_, /*bitwise=*/true),
            after("schedule-overlap{walks=2 beam=8}", 100, /*bitwise=*/true).run.bounds->anyMerging.picoseconds);
}

class ChangedBoundOfShardedStep : public CapturedStep {
protected:
  ChangedBoundOfShardedStep() : CapturedStep("moe_12l_ep32") {}
};

TEST_F(ChangedBoundOfShardedStep, IsBelowThatOfKeptGathers) {
  const int64_t bound = changedBound(*graph_, &durations_);
  const PipelineRun whole = changed(*graph_->clone(), "schedule-overlap{walks=2 beam=8}", &durations_);
  const PipelineRun kept =
      changed(*graph_->clone(), "keep-gathered{walks=2 beam=8},schedule-overlap{walks=2 beam=8}", &durations_);
  ASSERT_EQ(kept.passes.front().changed, Changed::Yes);
  EXPECT_LT(kept.bounds->anyMerging.picoseconds, whole.bounds->anyMerging.picoseconds);
  EXPECT_LE(bound, kept.bounds->anyMerging.picoseconds);
}

} // namespace
} // namespace ccgraph::test
