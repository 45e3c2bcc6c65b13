// Tests that the bound that candidates share is not above the bounds of their own programs, for all candidates of small
// models.
#include "planner/shared_bound.h"

#include "planner/pipeline_plan.h"
#include "planner/side_by_side.h"

#include <gtest/gtest.h>

#include <numeric>

namespace ccgraph::test {
namespace {

using namespace planner; // NOLINT(google-build-using-namespace): the tests use all of it

struct SharedCase {
  std::string name;
  std::string model;
  PlanChoices choices;
  double clipNorm = 0;
};

PlanJob jobFor(const SharedCase &of) {
  models::ModelConfig model = models::findModel(of.model)->config;
  model.layers = 8;
  model.vocab = 4096;
  model.setHeads(8);
  model.kvHeads = 8;
  llvm::cantFail(models::setWidth(model, 1024));
  if (model.experts > 0)
    model.experts = 4;
  PlanJob job{.step = {.model = model, .shape = {.sequence = 1024}}, .ranks = 4, .ranksPerNode = 2, .batch = 4};
  job.step.clipNorm = of.clipNorm;
  return job;
}

class SharedBoundTest : public testing::TestWithParam<SharedCase> {};

TEST_P(SharedBoundTest, IsNotAboveTheOwnBound) {
  const PlanJob job = jobFor(GetParam());
  Machine machine = *machinePreset("h100x8");
  machine.ranksPerNode = job.ranksPerNode;
  StageCatalog catalog(job, machine);
  PipelinePlanner pipelines(job, catalog);
  int64_t withTime = 0, withMemory = 0;
  for (const PlanCandidate &candidate : llvm::cantFail(planCandidates(job, GetParam().choices))) {
    const PlanBound shared = llvm::cantFail(sharedBoundOf(job, candidate, catalog));
    const PlanBound own = candidate.pipeline ? llvm::cantFail(pipelines.boundOf(candidate))
                                             : llvm::cantFail(boundOf(job, candidate, machine)).whole;
    EXPECT_LE(shared.picoseconds, own.picoseconds) << candidate.flags();
    EXPECT_LE(shared.bytes, own.bytes) << candidate.flags();
    withTime += shared.picoseconds * 10 > own.picoseconds * 8 ? 1 : 0;
    withMemory += shared.bytes * 10 > own.bytes * 8 ? 1 : 0;
  }
  // A bound of nothing would be none.
  EXPECT_GT(withTime, 10);
  EXPECT_GT(withMemory, 10);
}

constexpr auto selective = models::Recompute::Selective;
INSTANTIATE_TEST_SUITE_P(All, SharedBoundTest,
                         testing::Values(SharedCase{"llama", "llama3-8b", {}},
                                         SharedCase{"mixtral", "mixtral-8x7b", {.recompute = selective}},
                                         SharedCase{"clipped", "llama3-8b", {.recompute = selective}, 1}),
                         [](const auto &instance) { return instance.param.name; });

// Models without stages have no shared bound.
TEST(SharedBound, IsZeroForTiedWeights) {
  PlanJob job = jobFor({"tied", "llama3-8b", {}});
  job.step.model.tied = 1;
  const Machine machine = *machinePreset("h100x8");
  StageCatalog catalog(job, machine);
  const PlanBound bound = llvm::cantFail(sharedBoundOf(job, {}, catalog));
  EXPECT_EQ(bound.picoseconds, 0);
  EXPECT_EQ(bound.bytes, 0);
}

TEST(SideBySide, RunsEachTaskOnce) {
  std::vector<int> runs(1000);
  llvm::cantFail(sideBySide(runs.size(), [&](size_t i) {
    ++runs[i];
    return llvm::Error::success();
  }));
  EXPECT_EQ(std::accumulate(runs.begin(), runs.end(), 0), 1000);
  llvm::cantFail(sideBySide(0, [](size_t) { return llvm::createStringError(std::errc::io_error, "not called"); }));
}

TEST(SideBySide, ReturnsTheFirstErrorOfTheirOrder) {
  llvm::Error error = sideBySide(100, [](size_t i) {
    return i < 40 ? llvm::Error::success() : llvm::createStringError(std::errc::io_error, std::to_string(i).c_str());
  });
  EXPECT_EQ(llvm::toString(std::move(error)), "40");
}

TEST(Memo, KeepsValuesAndForgetsErrors) {
  Memo<int> memo;
  auto fails = []() -> llvm::Expected<int> { return llvm::createStringError(std::errc::io_error, "no"); };
  EXPECT_EQ(llvm::toString(memo.of("a", fails).takeError()), "no");
  EXPECT_EQ(llvm::cantFail(memo.of("a", []() -> llvm::Expected<int> { return 1; })), 1);
  EXPECT_EQ(llvm::cantFail(memo.of("a", []() -> llvm::Expected<int> { return 2; })), 1);
}

} // namespace
} // namespace ccgraph::test
