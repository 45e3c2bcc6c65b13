// Generated programs: they train, and N ranks compute what one rank does of the whole batch, however they are spread.
#include "small_model.h"

#include "ccgraph/passes/pass_manager.h"
#include "support/seeded_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ccgraph::test {
namespace {

using models::GenerateRequest;
using models::Optimizer;
using models::Parallelism;
using models::Part;

struct Spread {
  std::string name;
  std::string model;
  Parallelism parallel;
  int64_t lossChunks = 1;
};

GenerateRequest requestOf(const Spread &spread, Part part = Part::Joint) {
  return {.model = smallConfig(spread.model),
          .parallel = spread.parallel,
          .shape = {.sequence = 8, .batch = 12, .lossChunks = spread.lossChunks},
          .part = part};
}

const Spread spreads[] = {
    {"fsdp", "llama3-8b", {.shards = 4}},
    {"fsdp_padded", "llama3-8b", {.shards = 3}},
    {"ddp", "llama3-8b", {.replicas = 4}},
    {"hsdp", "llama3-8b", {.replicas = 2, .shards = 2}},
    {"tp", "llama3-8b", {.tensor = 2}},
    {"fsdp_tp", "llama3-8b", {.shards = 2, .tensor = 2}},
    {"hsdp_tp_chunks", "llama3-8b", {.replicas = 2, .shards = 2, .tensor = 4}, 4},
    {"chunks", "llama3-8b", {.shards = 2}, 8},
    {"gpt2_fsdp", "gpt2-xl", {.shards = 4}},
    {"gpt2_tp", "gpt2-xl", {.tensor = 2}},
    {"mixtral_fsdp", "mixtral-8x7b", {.shards = 4}},
    {"mixtral_ep", "mixtral-8x7b", {.shards = 2, .experts = 2}},
    {"mixtral_fsdp_ep", "mixtral-8x7b", {.shards = 4, .experts = 2}},
    {"deepseek_ep", "deepseek-v3-16b", {.shards = 4, .experts = 4}},
    {"deepseek_fsdp_ep", "deepseek-v3-16b", {.replicas = 2, .shards = 2, .experts = 2}},
    {"qwen_fsdp_tp", "qwen3-14b", {.shards = 2, .tensor = 2}},
};

class SpreadTest : public testing::TestWithParam<Spread> {};

/// How far `got` is from `expected`, in parts of the largest number.
double distance(const Numbers &got, const Numbers &expected) {
  EXPECT_EQ(got.sizes, expected.sizes);
  double worst = 0, largest = 1e-6;
  for (size_t i = 0; i != expected.values.size() && i != got.values.size(); ++i) {
    worst = std::max(worst, std::abs(got.values[i] - expected.values[i]));
    largest = std::max(largest, std::abs(expected.values[i]));
  }
  return worst / largest;
}

TEST_P(SpreadTest, ComputesWhatOneRankDoes) {
  Spread alone{"alone", GetParam().model, {}};
  SmallModel one(requestOf(alone)), many(requestOf(GetParam()));
  SmallModel::Results expected = one.run(), got = many.run();
  EXPECT_NEAR(many.loss(got), one.loss(expected), 1e-5);
  ASSERT_EQ(many.parameterNames(), one.parameterNames());
  for (const std::string &name : one.parameterNames())
    for (int64_t rank = 0; rank != many.parallel().world(); ++rank) {
      Numbers part = many.partOf(name, expected.front().at(name), rank);
      EXPECT_LT(distance(got[static_cast<size_t>(rank)].at(name), part), 2e-5) << name << " of rank " << rank;
    }
}

TEST_P(SpreadTest, IsTheSameProgramAfterO2) {
  SmallModel many(requestOf(GetParam(), Part::Step));
  std::vector<std::unique_ptr<Graph>> after;
  std::vector<const Graph *> rewritten;
  for (const Graph *before : many.request().graphs) {
    rewritten.push_back(after.emplace_back(before->clone()).get());
    llvm::Expected<PipelineRun> run = runPipeline(*after.back(), pipelineOfLevel(2));
    ASSERT_TRUE(static_cast<bool>(run)) << llvm::toString(run.takeError());
  }
  runtime::EquivalenceReport report = runtime::checkEquivalence(many.request(), rewritten, {});
  EXPECT_EQ(report.verdict, runtime::Verdict::Equal) << differencesIn(report);
}

INSTANTIATE_TEST_SUITE_P(All, SpreadTest, testing::ValuesIn(spreads),
                         [](const auto &instance) { return instance.param.name; });

class OptimizerTest : public testing::TestWithParam<Optimizer> {};

TEST_P(OptimizerTest, MakesTheLossFallAtEachStep) {
  GenerateRequest request = requestOf({"fsdp", "llama3-8b", {.shards = 4}}, Part::Step);
  request.optimizer = GetParam();
  request.learningRate = GetParam() == Optimizer::AdamW ? 3e-3 : 0.3;
  SmallModel model(request);
  double before = 1e9;
  for (int step = 0; step != 8; ++step) {
    double loss = model.loss(model.run());
    EXPECT_LT(loss, before) << "step " << step;
    before = loss;
  }
  // An untrained model's loss is about the logarithm of the vocabulary, 3.5.
  EXPECT_LT(before, 3.3);
}

INSTANTIATE_TEST_SUITE_P(All, OptimizerTest, testing::Values(Optimizer::Sgd, Optimizer::AdamW),
                         [](const auto &instance) { return instance.param == Optimizer::Sgd ? "sgd" : "adamw"; });

} // namespace
} // namespace ccgraph::test
