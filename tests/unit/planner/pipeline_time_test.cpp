// Tests the time and the memory of pipelines: against published formulas of their bubbles, and against the programs of
// their ranks.
#include "planner/pipeline_plan.h"

#include "ccgraph/ir/pipeline_verifier.h"
#include "models/pipeline_step.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

using namespace planner; // NOLINT(google-build-using-namespace): the tests use all of it
using models::PipelineKind;
using models::PipelineRequest;

PipelineTime timeOf(const PipelineRequest &request, const StageTimes &stage) {
  const std::vector<StageTimes> times(static_cast<size_t>(request.stages()), stage);
  return pipelineTime(llvm::cantFail(models::makePipelineSchedule(request)), {times, times});
}

int64_t memoryOf(const PipelineRequest &request, const StageMemory &stage) {
  const std::vector<StageMemory> stages(static_cast<size_t>(request.stages()), stage);
  return pipelineMemory(llvm::cantFail(models::makePipelineSchedule(request)), stages);
}

// Over p ranks with v stages each, the bubble is (p - 1) (f + b) / v (D. Narayanan et al., "Efficient Large-Scale
// Language Model Training on GPU Clusters Using Megatron-LM", 2021, section 2.2). Here f and b are those of a stage,
// which is a v-th of the rank's.
TEST(PipelineTime, HasThePublishedBubbles) {
  const StageTimes stage{.forward = 10, .backward = 20};
  EXPECT_EQ(timeOf({PipelineKind::OneForwardOneBackward, 4, 0, 8}, stage).stepPs, 8 * 30 + 3 * 30);
  EXPECT_EQ(timeOf({PipelineKind::GPipe, 4, 0, 8}, stage).stepPs, 8 * 30 + 3 * 30);
  EXPECT_EQ(timeOf({PipelineKind::Interleaved, 4, 2, 8}, stage).stepPs, 8 * 60 + 3 * 30);
  EXPECT_EQ(timeOf({PipelineKind::Interleaved, 4, 4, 8}, stage).stepPs, 8 * 120 + 3 * 30);
}

// The gradients of weights fill the bubble, so the two stages of a rank need less than two of 1f1b would.
TEST(PipelineTime, SplitBackwardsFillTheBubble) {
  const StageTimes stage{.forward = 10, .backward = 20, .weights = 10};
  const int64_t busy = 8 * 2 * 30;
  EXPECT_LT(timeOf({PipelineKind::ZeroBubbleV, 4, 0, 8}, stage).stepPs - busy, 3 * 30);
  EXPECT_LT(timeOf({PipelineKind::DualPipeV, 4, 0, 8}, stage).stepPs - busy, 2 * 3 * 30);
}

TEST(PipelineTime, GathersFirstAndUpdatesLast) {
  const StageTimes stage{.gather = 100, .forward = 10, .backward = 20, .update = 1000};
  EXPECT_EQ(timeOf({PipelineKind::GPipe, 1, 0, 2}, stage).stepPs, 100 + 2 * 30 + 1000);
  // The second rank gathers while it waits.
  EXPECT_EQ(timeOf({PipelineKind::GPipe, 2, 0, 1}, stage).stepPs, 100 + 2 * 30 + 1000);
}

TEST(PipelineTime, WaitsForTransfers) {
  const StageTimes stage{.forward = 10, .backward = 20, .transfer = 7};
  const PipelineTime time = timeOf({PipelineKind::GPipe, 3, 0, 1}, stage);
  EXPECT_EQ(time.stepPs, 3 * 30 + 4 * 7);
  EXPECT_EQ(time.bubblePs, 2 * 30 + 4 * 7);
}

TEST(PipelineTime, IsNotBelowTheBusiestRank) {
  const StageTimes stage{.gather = 3, .forward = 10, .backward = 25, .weights = 11, .update = 5, .transfer = 2};
  for (const auto &[name, kind] : models::pipelineKinds())
    for (int64_t ranks : {2, 3, 4, 8})
      for (int64_t microbatches : {16, 24}) {
        PipelineRequest request{kind, ranks, 0, microbatches};
        if (llvm::Error error = models::checkPipelineSchedule(request)) {
          llvm::consumeError(std::move(error));
          continue;
        }
        const std::vector<StageTimes> times(static_cast<size_t>(request.stages()), stage);
        EXPECT_LE(busiestRankTime(request, times), timeOf(request, stage).stepPs) << name << " " << ranks;
      }
}

TEST(PipelineMemory, IsNotBelowItsBound) {
  const StageMemory stage{
      .stored = 1000, .gathered = 60, .sums = 40, .saved = 10, .pending = 12, .working = 15, .update = 1050};
  for (const auto &[name, kind] : models::pipelineKinds())
    for (int64_t ranks : {1, 2, 4})
      for (int64_t microbatches : {1, 2, 8, 16}) {
        PipelineRequest request{kind, ranks, 0, microbatches};
        if (llvm::Error error = models::checkPipelineSchedule(request)) {
          llvm::consumeError(std::move(error));
          continue;
        }
        const std::vector<StageMemory> stages(static_cast<size_t>(request.stages()), stage);
        EXPECT_LE(leastPipelineMemory(request, stages), memoryOf(request, stage)) << name << " " << ranks;
      }
}

// 1f1b has at most as many microbatches in flight as ranks, and gpipe has all. Sums of gradients are there from the
// first backward on.
TEST(PipelineMemory, CountsTheMicrobatchesInFlight) {
  const StageMemory stage{.stored = 1000, .gathered = 60, .sums = 40, .saved = 10, .working = 15, .update = 1050};
  EXPECT_EQ(memoryOf({PipelineKind::OneForwardOneBackward, 4, 0, 8}, stage), 1100 + 3 * 10 + 15);
  EXPECT_EQ(memoryOf({PipelineKind::GPipe, 4, 0, 8}, stage), 1060 + std::max(7 * 10 + 15, 40 + 6 * 10 + 15));
  EXPECT_EQ(memoryOf({PipelineKind::OneForwardOneBackward, 4, 0, 2}, stage), 1100 + 15);
  const StageMemory large{.stored = 1000, .gathered = 60, .sums = 40, .saved = 10, .working = 15, .update = 5000};
  EXPECT_EQ(memoryOf({PipelineKind::GPipe, 4, 0, 8}, large), 5000);
  EXPECT_EQ(memoryOf({PipelineKind::Interleaved, 4, 2, 8}, large), 2 * 5000);
  // Rank 0 of zbv has its last gradients of weights pending, beside what runs.
  const StageMemory split{
      .stored = 1000, .gathered = 60, .sums = 40, .saved = 10, .pending = 12, .working = 15, .update = 1050};
  EXPECT_GT(memoryOf({PipelineKind::ZeroBubbleV, 4, 0, 8}, split),
            memoryOf({PipelineKind::ZeroBubbleV, 4, 0, 8}, stage));
}

TEST(PipelineRequests, StateTheRankOfEachStage) {
  for (const auto &[name, kind] : models::pipelineKinds()) {
    PipelineRequest request{kind, 4, 0, 8};
    const auto owners = llvm::cantFail(models::makePipelineSchedule(request)).rankOfStages();
    for (size_t stage = 0; stage != owners.size(); ++stage)
      EXPECT_EQ(static_cast<int64_t>(*owners[stage]), request.rankOfStage(static_cast<int64_t>(stage))) << name;
  }
}

PlanProgram programOf(const PlanJob &job, const PlanCandidate &candidate, const Machine &machine, int64_t rank) {
  const PipelineSchedule schedule = withTransfers(llvm::cantFail(models::makePipelineSchedule(*candidate.pipeline)));
  models::GenerateRequest request = requestOf(job, candidate, models::Part::Step);
  if (request.parallel.isOfOneRank())
    request.rank = rank * request.parallel.ranksOfStage();
  Context context;
  auto graph = llvm::cantFail(models::generatePipelineRank(context, request, schedule, rank));
  return llvm::cantFail(optimizedProgram(*graph, machine, std::nullopt));
}

double ratioOf(int64_t a, int64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

class WholeProgramTest : public testing::TestWithParam<PlanCandidate> {};

// A rank's program has all microbatches, and its time no waiting for other ranks. The parts that a plan predicts from
// are optimized alone, so both differ a little.
TEST_P(WholeProgramTest, TakesWhatItsPartsTake) {
  Machine machine = *machinePreset("h100x8");
  models::ModelConfig model = models::findModel("llama3-8b")->config;
  model.layers = 8;
  PlanJob job{.step = {.model = model, .shape = {.sequence = 4096}}, .ranks = 8, .ranksPerNode = 8, .batch = 16};
  const PlanCandidate candidate = GetParam();
  StageCatalog catalog(job, machine);
  PipelinePlanner planner(job, catalog);
  const PipelinePrediction predicted = llvm::cantFail(planner.predict(candidate));
  int64_t peak = 0;
  for (int64_t rank = 0; rank != candidate.pipeline->ranks; ++rank) {
    const PlanProgram program = programOf(job, candidate, machine, rank);
    EXPECT_NEAR(ratioOf(predicted.time.busyPs[static_cast<size_t>(rank)], program.stepPs), 1, 0.1) << rank;
    peak = std::max(peak, program.peakBytes);
  }
  EXPECT_NEAR(ratioOf(predicted.peakBytes, peak), 1, 0.15);
}

// A microbatch in flight keeps the input of each layer only, in each stage.
TEST(StageCosts, RecomputationKeepsLess) {
  const Machine machine = *machinePreset("h100x8");
  models::ModelConfig model = models::findModel("llama3-8b")->config;
  model.layers = 8;
  PlanJob job{.step = {.model = model, .shape = {.sequence = 4096}}, .ranks = 4, .ranksPerNode = 8, .batch = 8};
  PlanCandidate candidate{{.pipeline = 4},         1, 1,
                          models::Recompute::None, 0, PipelineRequest{PipelineKind::GPipe, 4, 0, 8}};
  StageCatalog catalog(job, machine);
  const models::ModelPart second = partOfStage(model, 1, 4);
  const StageCosts kept = llvm::cantFail(catalog.boundOf(candidate, second));
  candidate.recompute = models::Recompute::Full;
  const StageCosts repeated = llvm::cantFail(catalog.boundOf(candidate, second));
  EXPECT_LE(repeated.memory.saved, 4 * int64_t{4096} * model.dim * 2) << "two layers, their inputs and the output";
  EXPECT_LT(repeated.memory.saved * 5, kept.memory.saved);
  EXPECT_GT(repeated.bound.backward * 4, kept.bound.backward * 5);
}

constexpr auto full = models::Recompute::Full;
INSTANTIATE_TEST_SUITE_P(
    All, WholeProgramTest,
    testing::Values(
        PlanCandidate{{.shards = 4, .pipeline = 2},
                      1,
                      1,
                      models::Recompute::None,
                      2,
                      PipelineRequest{PipelineKind::OneForwardOneBackward, 2, 0, 4}},
        PlanCandidate{{.shards = 2, .pipeline = 4}, 1, 1, full, 2, PipelineRequest{PipelineKind::GPipe, 4, 0, 8}},
        PlanCandidate{{.tensor = 4, .pipeline = 2}, 1, 1, full, 0, PipelineRequest{PipelineKind::ZeroBubbleV, 2, 0, 8}},
        PlanCandidate{{.shards = 2, .tensor = 2, .context = 2, .pipeline = 2},
                      1,
                      1,
                      full,
                      2,
                      PipelineRequest{PipelineKind::Interleaved, 2, 2, 8}}),
    [](const auto &instance) {
      return models::pipelineKindName(instance.param.pipeline->kind).substr(0, 1) == "1"
                 ? std::string("one_forward_one_backward")
                 : models::pipelineKindName(instance.param.pipeline->kind);
    });

} // namespace
} // namespace ccgraph::test
