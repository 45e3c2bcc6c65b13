// Tests that a larger memory budget, or none, gives no random program, and no generated model, a slower predicted step
// at -O3.
#include "models/training_step.h"
#include "property/programs.h"

#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/pass_manager.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

/// The predicted step and the peak of a program after -O3.
struct Outcome {
  int64_t picoseconds = 0;
  int64_t peakBytes = 0;
};

/// Without a budget memory has no limit.
Outcome within(const Graph &graph, std::optional<int64_t> budget) {
  std::unique_ptr<Graph> copy = graph.clone();
  const Pipeline pipeline = levelWithBeams(maxLevel, "0");
  PassManagerOptions options;
  options.predictTimes = true;
  options.predictBounds = PredictBounds::None;
  options.verifyEach = false;
  options.memoryBudget = budget;
  options.limitMemory = budget.has_value();
  const PipelineRun run = llvm::cantFail(runPipeline(*copy, pipeline, options));
  return {run.timeAfter->total, peakMemory(*copy).bytes};
}

/// Returns true if the program's step is slower within some budget, or without one, than within a smaller one, by a
/// nanosecond or more: the last delays of waits may cost less, and no duration is measured more exactly.
bool isSlowerWithMore(const Graph &graph, llvm::ArrayRef<int64_t> percents) {
  const int64_t peak = peakMemory(graph).bytes;
  int64_t fastest = std::numeric_limits<int64_t>::max() - picosecondsOfNs;
  for (int64_t percent : percents) {
    const int64_t budget = peak * percent / 100;
    const Outcome outcome = within(graph, budget);
    if (outcome.peakBytes > budget)
      continue;
    if (outcome.picoseconds >= fastest + picosecondsOfNs)
      return true;
    fastest = std::min(fastest, outcome.picoseconds);
  }
  return within(graph, std::nullopt).picoseconds >= fastest + picosecondsOfNs;
}

TEST(Budgets, MoreMemoryIsNotSlowerForRandomPrograms) {
  constexpr uint32_t programs = 100;
  std::vector<uint32_t> slower;
  for (uint32_t seed = 1; seed <= programs; ++seed) {
    Context context;
    if (isSlowerWithMore(*makeRandomProgram(context, randomNumbers(seed)).graph, {70, 85, 100, 115, 150, 300}))
      slower.push_back(seed);
  }
  EXPECT_TRUE(slower.empty()) << "seeds " << testing::PrintToString(slower);
}

struct Model {
  std::string name;
  int64_t layers = 0;
  models::Parallelism parallel;
};

class ModelBudgets : public testing::TestWithParam<Model> {};

// The budgets are limits that every larger budget has too (manager/choice.h), and one between two of them.
TEST_P(ModelBudgets, MoreMemoryIsNotSlower) {
  models::GenerateRequest request{.model = models::findModel(GetParam().name)->config,
                                  .parallel = GetParam().parallel,
                                  .shape = {.sequence = 8192}};
  request.model.layers = GetParam().layers;
  Context context;
  EXPECT_FALSE(isSlowerWithMore(*llvm::cantFail(models::generate(context, request)), {80, 90, 95, 100, 102, 110, 125}));
}

std::vector<Model> modelsOfEachKind() {
  return {{"llama3-8b", 2, {.tensor = 8}},
          {"llama3-8b", 2, {.shards = 64}},
          {"mixtral-8x7b", 1, {.shards = 8, .experts = 8}}};
}

INSTANTIATE_TEST_SUITE_P(Generated, ModelBudgets, testing::ValuesIn(modelsOfEachKind()),
                         [](const testing::TestParamInfo<Model> &model) {
                           return "model" + std::to_string(model.index);
                         });

} // namespace
