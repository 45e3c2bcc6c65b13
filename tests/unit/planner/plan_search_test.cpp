// Tests that bounds are bounds, that no candidate is dropped which would be a row, and what a plan reports.
#include "planner/plan_output.h"

#include "ccgraph/ir/diagnostic.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

#include <set>

namespace ccgraph::test {
namespace {

using namespace planner; // NOLINT(google-build-using-namespace): the tests use all of it

models::ModelConfig small(llvm::StringRef name) {
  models::ModelConfig model = models::findModel(name)->config;
  model.layers = 4;
  model.vocab = 4096;
  model.setHeads(8);
  model.kvHeads = 8;
  llvm::cantFail(models::setWidth(model, 1024));
  if (model.experts > 0)
    model.experts = 4;
  return model;
}

/// A plan for 4 ranks on 2 nodes.
PlanRequest requestFor(llvm::StringRef model) {
  PlanRequest request;
  request.machine = *machinePreset("h100x8");
  request.machine.ranksPerNode = 2;
  request.job = {
      .step = {.model = small(model), .shape = {.sequence = 1024}}, .ranks = 4, .ranksPerNode = 2, .batch = 4};
  request.memoryBytes = int64_t{80} << 30;
  request.rows = 3;
  return request;
}

std::string textOf(const PlanResult &result) {
  std::string text;
  for (const PlanRow &row : result.rows)
    text += llvm::formatv("{0}: {1} ps, {2} bytes\n", row.candidate.flags(), row.stepPs, row.peakBytes).str();
  return text;
}

/// The passes take some tenths of a second for each program, so a part of the space stands for all of it.
struct Slice {
  std::string name;
  std::string model;
  PlanChoices choices;
};
class SmallPlanTest : public testing::TestWithParam<Slice> {};

TEST_P(SmallPlanTest, DropsNoRowAndBoundsEachStepFromBelow) {
  PlanRequest request = requestFor(GetParam().model);
  request.choices = GetParam().choices;
  PlanResult pruned = llvm::cantFail(planTraining(request));
  request.isExhaustive = true;
  request.rows = 1000;
  PlanResult all = llvm::cantFail(planTraining(request));
  EXPECT_EQ(all.count(PlanPoint::Fate::NotGenerated), 0U);
  EXPECT_GT(pruned.count(PlanPoint::Fate::NotGenerated), 0U);
  for (const PlanRow &row : all.rows) {
    EXPECT_LE(row.earlyBoundPs, row.stepPs) << row.candidate.flags();
    EXPECT_LE(row.boundPs, row.stepPs) << row.candidate.flags();
  }
  ASSERT_EQ(pruned.rows.size(), 3U);
  all.rows.resize(3);
  EXPECT_EQ(textOf(pruned), textOf(all));
}

INSTANTIATE_TEST_SUITE_P(
    All, SmallPlanTest,
    testing::Values(
        Slice{"all_kinds", "llama3-8b", {.zero = 2, .recompute = models::Recompute::Selective}},
        Slice{"mixtral", "mixtral-8x7b", {.tensor = 2, .zero = 3, .recompute = models::Recompute::Full, .context = 1}},
        Slice{"context", "llama3-8b", {.recompute = models::Recompute::None, .context = 2, .pipeline = 1}},
        Slice{"pipelines_of_two", "llama3-8b", {.recompute = models::Recompute::Full, .pipeline = 2}},
        Slice{"contexts_and_pipelines", "llama3-8b", {.replicas = 1, .recompute = models::Recompute::Full}},
        Slice{"pipelines_of_four", "llama3-8b", {.pipeline = 4}},
        Slice{"pipelines_of_experts", "mixtral-8x7b", {.recompute = models::Recompute::Selective, .pipeline = 2}}),
    [](const auto &instance) { return instance.param.name; });

TEST(PlanOutput, IsTheSameInEveryRun) {
  PlanRequest request = requestFor("llama3-8b");
  request.choices = {.tensor = 2, .recompute = models::Recompute::None, .context = 1, .pipeline = 2};
  auto page = [&] {
    PlanResult result = llvm::cantFail(planTraining(request));
    std::string text;
    llvm::raw_string_ostream os(text);
    PlanText plan{request, result, {"m", "", "h100x8"}};
    writePlanPage(os, plan);
    writePlanJson(os, plan);
    writePlanCsv(os, plan);
    writePlanTable(os, plan);
    return os.str();
  };
  EXPECT_EQ(page(), page());
}

// Names of files may contain anything, and every form of the output stays readable.
TEST(PlanOutput, EscapesNames) {
  PlanRequest request = requestFor("llama3-8b");
  PlanResult result;
  result.rows.push_back({.candidate = {.accumulation = 2}, .stepPs = 1, .last = {}, .each = PlanProgram()});
  PlanText plan{request, result, {"--config 'a \"<b>.json'", "--clip 1", "'\xff.json'"}};
  auto textOf = [&](void (*write)(llvm::raw_ostream &, const PlanText &)) {
    std::string text;
    llvm::raw_string_ostream os(text);
    write(os, plan);
    return os.str();
  };
  EXPECT_NE(textOf(writePlanCsv)
                .find(",\"ccgraph-gen --config 'a \"\"<b>.json' --batch 1 --accumulate 2 --part step "
                      "--clip 1 | ccgraph-opt"),
            std::string::npos);
  EXPECT_NE(
      textOf(writePlanPage).find("--config &apos;a &quot;&lt;b&gt;.json&apos; --batch 1 --accumulate 2 --part joint |"),
      std::string::npos);
  EXPECT_TRUE(llvm::json::isUTF8(textOf(writePlanJson)));
}

TEST(PlanMemory, NoRowExceedsTheLimit) {
  PlanRequest request = requestFor("llama3-8b");
  request.choices = {.tensor = 1, .recompute = models::Recompute::None};
  PlanResult roomy = llvm::cantFail(planTraining(request));
  int64_t least = request.memoryBytes, most = 0;
  for (const PlanPoint &point : roomy.points) {
    least = std::min(least, point.bound.bytes);
    most = std::max(most, point.bound.bytes);
  }
  request.memoryBytes = (least + most) / 2;
  PlanResult tight = llvm::cantFail(planTraining(request));
  EXPECT_GT(tight.count(PlanPoint::Fate::TooLarge), 0U);
  EXPECT_GE(tight.rows.front().stepPs, roomy.rows.front().stepPs);
  for (const PlanRow &row : tight.rows)
    EXPECT_LE(row.peakBytes, request.memoryBytes) << row.candidate.flags();
}

TEST(PlanSpace, UsesEachRankAndEachSequenceOnce) {
  PlanRequest request = requestFor("mixtral-8x7b");
  request.job.ranks = 8;
  request.job.batch = 24;
  std::vector<PlanCandidate> candidates = llvm::cantFail(planCandidates(request.job, {}));
  std::set<std::string> flags;
  for (const PlanCandidate &candidate : candidates) {
    EXPECT_EQ(candidate.parallel.world(), 8) << candidate.flags();
    EXPECT_EQ(candidate.parallel.sequenceRanks() * candidate.microbatch * candidate.microbatches(), 24)
        << candidate.flags();
    EXPECT_LE(candidate.parallel.tensor, 2) << "on one node: " << candidate.flags();
    EXPECT_TRUE(flags.insert(candidate.flags()).second) << "twice: " << candidate.flags();
  }
  EXPECT_TRUE(flags.count("--hsdp 2x4 --ep 4 --batch 3 --recompute full --zero 3"));
  EXPECT_TRUE(flags.count("--ddp 8 --batch 3 --zero 1"));
  EXPECT_TRUE(flags.count("--fsdp 4 --tp 2 --batch 2 --accumulate 3 --zero 2"));
  EXPECT_TRUE(flags.count("--fsdp 8 --cp 4 --batch 1 --accumulate 12 --zero 2"));
  EXPECT_FALSE(flags.count("--fsdp 8 --cp 4 --batch 2 --accumulate 6 --zero 2")) << "cp with several sequences";
  EXPECT_TRUE(flags.count("--fsdp 2 --tp 2 --pp 2 --schedule zbv --microbatches 6 --batch 2 --recompute full"));
  EXPECT_TRUE(flags.count("--fsdp 4 --ep 2 --cp 2 --pp 2 --schedule interleaved --stages-per-rank 2 --microbatches 12 "
                          "--batch 1"));
  EXPECT_TRUE(flags.count("--ddp 2 --pp 4 --schedule 1f1b --microbatches 3 --batch 4"));
}

TEST(PlanSpace, KeepsFixedChoices) {
  PlanRequest request = requestFor("llama3-8b");
  request.job.batch = 8;
  PlanChoices choices{.replicas = 1, .shards = 2, .tensor = 2, .zero = 3, .recompute = models::Recompute::Selective};
  std::string flags;
  for (const PlanCandidate &candidate : llvm::cantFail(planCandidates(request.job, choices)))
    flags += candidate.flags() + "\n";
  EXPECT_EQ(flags, "--fsdp 2 --tp 2 --batch 1 --accumulate 4 --recompute selective --zero 3\n"
                   "--fsdp 2 --tp 2 --batch 2 --accumulate 2 --recompute selective --zero 3\n"
                   "--fsdp 2 --tp 2 --batch 4 --recompute selective --zero 3\n"
                   "--fsdp 2 --tp 2 --cp 2 --batch 1 --accumulate 8 --recompute selective --zero 3\n");
}

TEST(PlanSpace, KeepsAFixedPipeline) {
  PlanRequest request = requestFor("llama3-8b");
  PlanChoices choices{.tensor = 1,
                      .recompute = models::Recompute::Full,
                      .context = 1,
                      .pipeline = 4,
                      .schedule = models::PipelineKind::OneForwardOneBackward};
  std::string flags;
  for (const PlanCandidate &candidate : llvm::cantFail(planCandidates(request.job, choices)))
    flags += candidate.flags() + "\n";
  EXPECT_EQ(flags, "--pp 4 --schedule 1f1b --microbatches 4 --batch 1 --recompute full\n"
                   "--pp 4 --schedule 1f1b --microbatches 2 --batch 2 --recompute full\n"
                   "--pp 4 --schedule 1f1b --microbatches 1 --batch 4 --recompute full\n");
}

} // namespace
} // namespace ccgraph::test
