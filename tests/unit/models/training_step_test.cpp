// Tests that generated programs train, and that N ranks compute what one rank computes from the whole batch, for any
// distribution.
#include "small_model.h"

#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/ir/work.h"
#include "support/rank_program.h"
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
  models::RecomputePolicy recompute = {};
};

GenerateRequest requestOf(const Spread &spread, Part part = Part::Joint) {
  return {.model = smallConfig(spread.model),
          .parallel = spread.parallel,
          .shape = {.sequence = 8, .batch = 12, .lossChunks = spread.lossChunks},
          .part = part,
          .recompute = spread.recompute};
}

constexpr models::RecomputePolicy selective = {models::Recompute::Selective}, full = {models::Recompute::Full},
                                  gathersAgain = {models::Recompute::None, true},
                                  fullAndGathersAgain = {models::Recompute::Full, true};

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
    {"mixtral_fsdp_tp", "mixtral-8x7b", {.shards = 2, .tensor = 2}},
    {"mixtral_ep", "mixtral-8x7b", {.shards = 2, .experts = 2}},
    {"mixtral_fsdp_ep", "mixtral-8x7b", {.shards = 4, .experts = 2}},
    {"mixtral_ep_of_tp", "mixtral-8x7b", {.tensor = 2, .experts = 2}},
    {"mixtral_ep_tp", "mixtral-8x7b", {.shards = 2, .tensor = 2, .experts = 2}},
    {"mixtral_ep_over_fsdp_and_tp", "mixtral-8x7b", {.shards = 2, .tensor = 2, .experts = 4}},
    {"deepseek_ep", "deepseek-v3-16b", {.shards = 4, .experts = 4}},
    {"deepseek_fsdp_ep", "deepseek-v3-16b", {.replicas = 2, .shards = 2, .experts = 2}},
    {"qwen_fsdp_tp", "qwen3-14b", {.shards = 2, .tensor = 2}},
    {"fsdp_zero3", "llama3-8b", {.shards = 4}, 1, gathersAgain},
    {"fsdp_tp_full", "llama3-8b", {.shards = 2, .tensor = 2}, 4, full},
    {"hsdp_full_zero3", "llama3-8b", {.replicas = 2, .shards = 2}, 1, fullAndGathersAgain},
    {"tp_selective", "llama3-8b", {.tensor = 2}, 1, selective},
    {"gpt2_selective", "gpt2-xl", {.shards = 2}, 1, selective},
    {"mixtral_ep_full_zero3", "mixtral-8x7b", {.shards = 4, .experts = 2}, 1, fullAndGathersAgain},
    {"mixtral_ep_selective", "mixtral-8x7b", {.shards = 2, .tensor = 2, .experts = 4}, 1, selective},
    {"deepseek_full", "deepseek-v3-16b", {.shards = 2}, 1, full},
    {"cp", "llama3-8b", {.shards = 2, .context = 2}},
    {"fsdp_cp", "llama3-8b", {.shards = 4, .context = 2}},
    {"cp_of_four", "llama3-8b", {.shards = 4, .context = 4}},
    {"ddp_cp", "llama3-8b", {.replicas = 2, .context = 2}},
    {"hsdp_cp_over_both", "llama3-8b", {.replicas = 2, .shards = 2, .context = 4}},
    {"cp_tp_chunks", "llama3-8b", {.shards = 2, .tensor = 2, .context = 2}, 2},
    {"gpt2_cp", "gpt2-xl", {.shards = 2, .context = 2}},
    {"gpt2_cp_tp", "gpt2-xl", {.shards = 2, .tensor = 2, .context = 2}},
    {"qwen_cp", "qwen3-14b", {.shards = 4, .context = 2}},
    {"mixtral_cp_ep", "mixtral-8x7b", {.shards = 2, .experts = 2, .context = 2}},
    {"cp_full_zero3", "llama3-8b", {.shards = 4, .context = 2}, 1, fullAndGathersAgain},
    {"cp_selective", "llama3-8b", {.shards = 2, .context = 2}, 1, selective},
};

class SpreadTest : public testing::TestWithParam<Spread> {};

/// Returns the distance of `got` from `expected`, relative to the largest number.
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
  EXPECT_EQ(differencesAfterO2(many), "");
}

INSTANTIATE_TEST_SUITE_P(All, SpreadTest, testing::ValuesIn(spreads),
                         [](const auto &instance) { return instance.param.name; });

/// Programs in which collectives are beside products of matrices that use or make their values.
const Spread beside[] = {
    {"tp", "llama3-8b", {.tensor = 2}},
    {"fsdp_tp", "llama3-8b", {.shards = 2, .tensor = 2}},
    {"gpt2_tp", "gpt2-xl", {.tensor = 2}},
    {"mixtral_fsdp_tp", "mixtral-8x7b", {.shards = 2, .tensor = 2}},
};

class PiecesTest : public testing::TestWithParam<Spread> {};

TEST_P(PiecesTest, OfOneSequenceComputeTheSame) {
  GenerateRequest request = requestOf(GetParam());
  request.shape.batch = GetParam().parallel.shards; // one for each rank
  EXPECT_EQ(differencesInPieces(SmallModel(request)), "");
}

TEST_P(PiecesTest, OfABatchComputeTheSame) { EXPECT_EQ(differencesInPieces(SmallModel(requestOf(GetParam()))), ""); }

INSTANTIATE_TEST_SUITE_P(All, PiecesTest, testing::ValuesIn(beside),
                         [](const auto &instance) { return instance.param.name; });

/// The model of each preset on one rank, and with its loss in pieces.
const Spread alone[] = {
    {"llama", "llama3-8b", {}},
    {"llama_chunks", "llama3-8b", {}, 4},
    {"gpt2", "gpt2-xl", {}},
    {"gpt2_chunks", "gpt2-xl", {}, 4},
    {"qwen", "qwen3-14b", {}},
    {"mixtral", "mixtral-8x7b", {}},
    {"deepseek", "deepseek-v3-16b", {}},
};

class FiniteDifferenceTest : public testing::TestWithParam<Spread> {};

// In the direction of the gradient, the loss grows by the squared length of the gradient: (L(p + h g) - L(p - h g)) /
// 2h = |g|^2.
TEST_P(FiniteDifferenceTest, AgreesWithTheGradientOfEachParameter) {
  SmallModel model(requestOf(GetParam()));
  const SmallModel::Results results = model.run();
  for (const std::string &name : model.parameterNames()) {
    const Numbers &gradient = results.front().at(name);
    double square = 0;
    for (double number : gradient.values)
      square += number * number;
    ASSERT_GT(square, 0) << name;
    // The loss is f32: too small a step loses the difference, and too large a step includes the curvature.
    const double step = 0.02 / std::sqrt(square);
    double rise = (model.lossAt(name, gradient, step) - model.lossAt(name, gradient, -step)) / (2 * step);
    EXPECT_NEAR(rise / square, 1, 0.02) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FiniteDifferenceTest, testing::ValuesIn(alone),
                         [](const auto &instance) { return instance.param.name; });

// Seeded inputs are valid states of an optimizer, so that steps can be compared with them.
TEST(SeededSteps, OfAdamWAreFinite) {
  Context context;
  GenerateRequest request = requestOf({"alone", "llama3-8b", {}}, Part::Step);
  request.device = "cpu";
  request.dtype = DType::F32;
  std::unique_ptr<Graph> graph = llvm::cantFail(models::generate(context, request));
  runtime::RunResult results = llvm::cantFail(runtime::interpret(seededRequest(*graph, 1)));
  for (const auto &[name, tensor] : results.front())
    for (double number : numbersOf(tensor))
      ASSERT_TRUE(std::isfinite(number)) << name;
}

/// Returns the numbers of collectives on "fsdp" and of products, and the peak bytes.
struct Counts {
  size_t gathers = 0;
  size_t products = 0;
  int64_t peak = 0;
};

Counts countsOf(models::RecomputePolicy recompute) {
  Context context;
  GenerateRequest request = requestOf({"fsdp", "llama3-8b", {.shards = 4}, 1, recompute});
  request.model.layers = 4;
  request.shape = {.sequence = 512, .batch = 8};
  std::unique_ptr<Graph> graph = llvm::cantFail(models::generate(context, request));
  Counts counts{.peak = peakMemory(*graph).bytes};
  for (const Node *node : *graph) {
    counts.gathers += node->op() && node->op()->collective && node->op()->collective->kind == CollectiveKind::AllGather;
    counts.products += node->op() && isProduct(workFamily(*node->op()));
  }
  return counts;
}

// Each layer of 4 has 6 weights (2 norms, wqkv, wo, w1 + w3, w2), of which 7 are gathered; embedding, last norm and
// output matrix are outside. It has 5 products and attention, and in the backward pass two products for each and one
// attention.
TEST(Recompute, RepeatsWhatItDoesNotKeep) {
  Counts none = countsOf({}), again = countsOf(gathersAgain), some = countsOf(selective), all = countsOf(full),
         both = countsOf(fullAndGathersAgain);
  EXPECT_EQ(none.gathers, 4U * 7 + 3);
  EXPECT_EQ(again.gathers, 2 * 4U * 7 + 3);
  EXPECT_EQ(some.gathers, none.gathers);
  EXPECT_EQ(all.gathers, none.gathers);
  EXPECT_EQ(some.products, none.products);
  EXPECT_EQ(again.products, none.products);
  // The last product of a layer computes its result, which the next layer keeps as its input.
  EXPECT_EQ(all.products, none.products + 4U * (5 + 1 - 1));
  EXPECT_EQ(both.products, all.products);
  EXPECT_LT(again.peak, none.peak);
  EXPECT_LT(some.peak, none.peak);
  EXPECT_LT(all.peak, some.peak);
  EXPECT_LT(both.peak, all.peak);
}

// Two microbatches of the same tokens have the mean of two equal losses, and the sum of the halves of their gradients.
TEST(Accumulation, AddsToTheGradientsBefore) {
  GenerateRequest request = requestOf({"fsdp", "llama3-8b", {.shards = 2}});
  SmallModel whole(request);
  request.accumulation = 2;
  SmallModel half(request);
  SmallModel::Results expected = whole.run(), got = half.run();
  EXPECT_NEAR(2 * half.loss(got), whole.loss(expected), 1e-5);
  runtime::RunRequest second = half.request();
  for (size_t rank = 0; rank != 2; ++rank)
    for (const std::string &name : half.parameterNames()) {
      const Numbers &first = got[rank].at(name);
      second.inputs[rank].at("in.gradient_of_" + name) = hostTensor(DType::F32, first.sizes, first.values);
    }
  runtime::RunResult sums = llvm::cantFail(runtime::interpret(second));
  for (size_t rank = 0; rank != 2; ++rank)
    for (size_t i = 0; i != half.parameterNames().size(); ++i) {
      const HostTensor &sum = sums[rank].at("out." + std::to_string(1 + i));
      Numbers numbers{{sum.sizes.begin(), sum.sizes.end()}, numbersOf(sum)};
      EXPECT_LT(distance(numbers, expected[rank].at(half.parameterNames()[i])), 2e-5) << half.parameterNames()[i];
    }
}

class ClippedStepTest : public testing::TestWithParam<Spread> {};

// With the gradients g of one rank, a step is p - lr g min(1, clip / |g|), whatever ranks hold the elements.
TEST_P(ClippedStepTest, ScalesByTheNormOfAllGradients) {
  constexpr double clip = 0.1, lr = 0.5;
  SmallModel one(requestOf({"alone", GetParam().model, {}}));
  const SmallModel::Results gradients = one.run();
  double squares = 0;
  for (const std::string &name : one.parameterNames())
    for (double number : gradients.front().at(name).values)
      squares += number * number;
  ASSERT_GT(std::sqrt(squares), clip);
  GenerateRequest request = requestOf(GetParam(), Part::Step);
  request.optimizer = Optimizer::Sgd;
  request.learningRate = lr;
  request.clipNorm = clip;
  request.hasForeachOptimizer = GetParam().lossChunks == 1;
  SmallModel many(request);
  const SmallModel::Results got = many.run();
  for (const std::string &name : one.parameterNames()) {
    const HostTensor &initial = one.request().inputs.front().at("in." + name);
    Numbers expected{{initial.sizes.begin(), initial.sizes.end()}, numbersOf(initial)};
    for (size_t i = 0; i != expected.values.size(); ++i)
      expected.values[i] -= lr * gradients.front().at(name).values[i] * clip / std::sqrt(squares);
    for (int64_t rank = 0; rank != many.parallel().world(); ++rank)
      EXPECT_LT(distance(got[static_cast<size_t>(rank)].at(name), many.partOf(name, expected, rank)), 1e-5)
          << name << " of rank " << rank;
  }
}

const Spread clipped[] = {
    {"fsdp", "llama3-8b", {.shards = 4}},
    {"hsdp_tp_chunks", "llama3-8b", {.replicas = 2, .shards = 2, .tensor = 2}, 4},
    {"mixtral_tp", "mixtral-8x7b", {.shards = 2, .tensor = 2}},
    {"mixtral_ep", "mixtral-8x7b", {.shards = 2, .tensor = 2, .experts = 2}},
};
INSTANTIATE_TEST_SUITE_P(All, ClippedStepTest, testing::ValuesIn(clipped),
                         [](const auto &instance) { return instance.param.name; });

// Both forms compute one formula, and round it differently.
TEST(ForeachOptimizer, StepsAsTheFormOfOneParameter) {
  GenerateRequest request = requestOf({"fsdp", "llama3-8b", {.shards = 2}}, Part::Step);
  SmallModel each(request);
  request.hasForeachOptimizer = true;
  SmallModel together(request);
  for (int step = 0; step != 2; ++step) {
    const SmallModel::Results expected = each.run(), got = together.run();
    for (const std::string &name : each.parameterNames())
      EXPECT_LT(distance(got[1].at(name), expected[1].at(name)), 1e-5) << name;
  }
  auto isForeach = [](const Node *node) { return node->target().str().contains("_foreach_"); };
  EXPECT_EQ(llvm::count_if(together.graph(), isForeach), 9);
  EXPECT_EQ(llvm::count_if(each.graph(), isForeach), 0);
}

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
  // The loss of an untrained model is about the logarithm of the vocabulary size, 3.5.
  EXPECT_LT(before, 3.3);
}

INSTANTIATE_TEST_SUITE_P(All, OptimizerTest, testing::Values(Optimizer::Sgd, Optimizer::AdamW),
                         [](const auto &instance) { return instance.param == Optimizer::Sgd ? "sgd" : "adamw"; });

} // namespace
} // namespace ccgraph::test
