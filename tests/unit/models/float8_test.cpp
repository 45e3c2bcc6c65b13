// Tests programs whose blocks multiply in float8: their gradients, their collectives, and what they require of sizes.
#include "small_model.h"

#include "ccgraph/ir/collective.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ccgraph::test {
namespace {

using models::GenerateRequest;
using models::Parallelism;
using models::Part;

struct Spread {
  std::string name;
  std::string model;
  Parallelism parallel;
  models::RecomputePolicy recompute = {};
};

GenerateRequest requestOf(const Spread &spread, bool hasFloat8Products) {
  GenerateRequest request{.model = smallConfig(spread.model),
                          .parallel = spread.parallel,
                          .shape = {.sequence = 16, .batch = 4},
                          .hasFloat8Products = hasFloat8Products,
                          .recompute = spread.recompute};
  request.model.ffnDim = 64;
  return request;
}

/// The length of differences relative to that of the expected numbers.
class RelativeDistance {
public:
  void add(const Numbers &got, const Numbers &expected) {
    ASSERT_EQ(got.sizes, expected.sizes);
    for (size_t i = 0; i != expected.values.size(); ++i) {
      apart_ += std::pow(got.values[i] - expected.values[i], 2);
      length_ += std::pow(expected.values[i], 2);
    }
  }
  [[nodiscard]] double value() const { return std::sqrt(apart_ / length_); }

private:
  double apart_ = 0;
  double length_ = 0;
};

class Float8StepTest : public testing::TestWithParam<Spread> {};

// A number of f8e4m3fn has an error of up to 1/16, and one of f8e5m2 of up to 1/8. So the errors of gradients that pass
// two layers are about 0.2 of their length, and a wrong scale or a wrong transposition would exceed it.
TEST_P(Float8StepTest, GradientsAreNearlyThoseOfExactProducts) {
  SmallModel exact(requestOf({"alone", GetParam().model, {}}, false));
  SmallModel rounded(requestOf(GetParam(), true));
  SmallModel::Results expected = exact.run(), got = rounded.run();
  EXPECT_NEAR(rounded.loss(got), exact.loss(expected), 0.02);
  EXPECT_NE(rounded.loss(got), exact.loss(expected));
  for (const std::string &name : exact.parameterNames()) {
    RelativeDistance distance;
    for (int64_t rank = 0; rank != rounded.parallel().world(); ++rank)
      distance.add(got[static_cast<size_t>(rank)].at(name), rounded.partOf(name, expected.front().at(name), rank));
    EXPECT_LT(distance.value(), 0.3) << name;
  }
}

TEST_P(Float8StepTest, IsTheSameProgramAfterO2) {
  GenerateRequest request = requestOf(GetParam(), true);
  request.part = Part::Step;
  EXPECT_EQ(differencesAfterO2(SmallModel(request)), "");
}

constexpr models::RecomputePolicy selective = {models::Recompute::Selective},
                                  fullAndGathersAgain = {models::Recompute::Full, true};

const Spread spreads[] = {
    {"fsdp", "llama3-8b", {.shards = 4}},
    {"ddp", "llama3-8b", {.replicas = 2}},
    {"hsdp_tp", "llama3-8b", {.replicas = 2, .shards = 2, .tensor = 2}},
    {"gpt2_fsdp", "gpt2-xl", {.shards = 4}},
    {"mixtral_fsdp", "mixtral-8x7b", {.shards = 4}},
    {"fsdp_selective", "llama3-8b", {.shards = 2}, selective},
    {"fsdp_full_zero3", "llama3-8b", {.shards = 2}, fullAndGathersAgain},
    {"fsdp_cp", "llama3-8b", {.shards = 4, .context = 2}},
};
INSTANTIATE_TEST_SUITE_P(All, Float8StepTest, testing::ValuesIn(spreads),
                         [](const auto &instance) { return instance.param.name; });

/// Collectives of a program by kind and dtype of what they move.
struct Collectives {
  size_t float8Gathers = 0;
  size_t otherGathers = 0;
  size_t maxima = 0;
};

Collectives collectivesOf(const GenerateRequest &request) {
  Context context;
  std::unique_ptr<Graph> graph = llvm::cantFail(models::generate(context, request));
  Collectives counts;
  for (const Node *node : *graph) {
    if (!node->op() || !node->op()->collective)
      continue;
    const bool isGather = node->op()->collective->kind == CollectiveKind::AllGather;
    const bool isFloat8 = node->operand(0)->type()->dtype() == DType::F8E4M3FN;
    counts.float8Gathers += isGather && isFloat8;
    counts.otherGathers += isGather && !isFloat8;
    counts.maxima += node->op()->collective->kind == CollectiveKind::AllReduce;
  }
  return counts;
}

// Each of the two layers has the five matrices wqkv, wo, w1, w3 and w2, and two norms. Embedding, last norm and output
// matrix are gathered in the dtype of the computation. With gathers for the backward pass, the matrices are scaled and
// gathered twice.
TEST(Float8Gather, MovesTheMatricesOfBlocksAsFloat8) {
  const Collectives once = collectivesOf(requestOf({"fsdp", "llama3-8b", {.shards = 4}}, true));
  EXPECT_EQ(once.float8Gathers, 2U * 5);
  EXPECT_EQ(once.otherGathers, 2U * 2 + 3);
  EXPECT_EQ(once.maxima, 2U * 5);
  const Spread again{"again", "llama3-8b", {.shards = 4}, {models::Recompute::None, true}};
  EXPECT_EQ(collectivesOf(requestOf(again, true)).float8Gathers, 2 * 2U * 5);
  EXPECT_EQ(collectivesOf(requestOf({"fsdp", "llama3-8b", {.shards = 4}}, false)).float8Gathers, 0U);
}

std::string errorOf(GenerateRequest request) { return llvm::toString(models::checkRequest(request)); }

TEST(Float8Check, SizesAreMultiplesOf16) {
  GenerateRequest request = requestOf({"fsdp", "llama3-8b", {.shards = 4}}, true);
  EXPECT_EQ(errorOf(request), "");
  request.model.ffnDim = 72;
  EXPECT_NE(errorOf(request).find("--fp8 with 72 features of a rank's networks, expected a multiple of 16"),
            std::string::npos)
      << errorOf(request);
  request = requestOf({"tp", "llama3-8b", {.tensor = 4}}, true);
  EXPECT_NE(errorOf(request).find("--fp8 with 8 features of a rank's queries"), std::string::npos) << errorOf(request);
  request = requestOf({"fsdp", "llama3-8b", {.shards = 4}}, true);
  request.shape = {.sequence = 12, .batch = 2};
  EXPECT_NE(errorOf(request).find("--fp8 with 24 tokens"), std::string::npos) << errorOf(request);
  request.hasFloat8Products = false;
  EXPECT_EQ(errorOf(request), "");
}

TEST(Float8Check, ResultsAreAtMostF32) {
  GenerateRequest request = requestOf({"fsdp", "llama3-8b", {.shards = 4}}, true);
  request.dtype = DType::F64;
  EXPECT_NE(errorOf(request).find("--fp8 with --dtype f64, expected bf16, f16 or f32"), std::string::npos);
}

} // namespace
} // namespace ccgraph::test
