// Tests the comparison: which values count as equal, what is reported about a difference, and which outputs prove
// nothing.
#include "ccgraph/runtime/comparison.h"
#include "support/rank_program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace ccgraph::runtime {
namespace {

using test::hostTensor;

/// Compares the outputs of one rank.
Comparison compare(const TensorMap &expected, const TensorMap &got, const ComparisonRules &rules = {},
                   const TensorMap &inputs = {}) {
  std::vector<TensorMap> e{expected}, g{got}, i{inputs};
  return compareRuns({e, g, i}, rules);
}

TensorMap row(const std::vector<double> &values, DType dtype = DType::F32, const std::string &name = "out.0") {
  return {{name, hostTensor(dtype, {static_cast<int64_t>(values.size())}, values)}};
}

ComparisonRules close(double atol, double rtol) {
  return {.perOutput = {}, .otherwise = {.bitwise = false, .atol = atol, .rtol = rtol}};
}

TEST(Comparison, OfEqualBytes) {
  Comparison result = compare(row({1, 2}), row({1, 2}));
  EXPECT_TRUE(result.equal());
  EXPECT_EQ(result.outputs, 1U);
  EXPECT_EQ(result.elements, 2U);
  EXPECT_EQ(result.worst, 0.0);
}

TEST(Comparison, NamesTheWorstElement) {
  Comparison result = compare({{"out.0", hostTensor(DType::F32, {2, 2}, {1, 2, 3, 4})}},
                              {{"out.0", hostTensor(DType::F32, {2, 2}, {1, 2.5, 9, 4})}});
  ASSERT_EQ(result.differences.size(), 1U);
  EXPECT_EQ(result.differences[0].message, "element [1, 0] is 9, expected 3 (2 of 4 elements differ; held bitwise)");
  EXPECT_EQ(result.worst, 6.0);
  EXPECT_EQ(result.worstOutput, "out.0");
}

TEST(Comparison, TreatsNaNAsEqualToNaNAndCountsIt) {
  Comparison result = compare(row({NAN, 1}), row({-NAN, 1}));
  EXPECT_TRUE(result.equal());
  EXPECT_EQ(result.nans, 1U);
  EXPECT_FALSE(compare(row({NAN}), row({1})).equal());
  EXPECT_FALSE(compare(row({1}), row({NAN}), close(1e9, 1)).equal());
}

TEST(Comparison, HoldsTheSignOfZeroBitwise) {
  EXPECT_FALSE(compare(row({0.0}), row({-0.0})).equal());
  EXPECT_TRUE(compare(row({0.0}), row({-0.0}), close(0, 0)).equal());
}

TEST(Comparison, AtTheToleranceAndBeyond) {
  EXPECT_TRUE(compare(row({8}), row({8.5}), close(0.5, 0)).equal());
  EXPECT_FALSE(compare(row({8}), row({8.53125}), close(0.5, 0)).equal());
  EXPECT_TRUE(compare(row({8}), row({9}), close(0, 0.125)).equal());
  EXPECT_FALSE(compare(row({8}), row({9.0625}), close(0, 0.125)).equal());
  EXPECT_FALSE(compare(row({INFINITY}), row({1}), close(1, 1e-3)).equal());
  EXPECT_TRUE(compare(row({INFINITY}), row({INFINITY}), close(0, 0)).equal());
}

TEST(Comparison, TakesTheToleranceOfEachOutput) {
  ComparisonRules rules;
  rules.perOutput["out.0"] = {.bitwise = false, .atol = 1, .rtol = 0};
  EXPECT_TRUE(compare(row({1}), row({2}), rules).equal());
  EXPECT_FALSE(compare(row({1}, DType::F32, "out.1"), row({2}, DType::F32, "out.1"), rules).equal());
}

TEST(Comparison, OfIntegersAndBools) {
  EXPECT_EQ(compare(row({1, 2}, DType::I64), row({1, 3}, DType::I64)).differences[0].message,
            "element [1] is 3, expected 2 (1 of 2 elements differ; held bitwise)");
  EXPECT_FALSE(compare(row({1, 0}, DType::Bool), row({1, 1}, DType::Bool)).equal());
}

TEST(Comparison, OfOtherShapesAndMissingOutputs) {
  EXPECT_EQ(compare(row({1, 2}), row({1})).differences[0].message, "is f32[1], expected f32[2]");
  EXPECT_EQ(compare(row({1}), {}).differences[0].message, "is missing, expected f32[1]");
  EXPECT_EQ(compare({}, row({1})).differences[0].message, "is there, expected none");
  EXPECT_EQ(compare(row({1}), row({1}, DType::F64)).differences[0].message, "is f64[1], expected f32[1]");
}

TEST(Comparison, AnInputThatOnlyOneSideWroteIsWhatWentIn) {
  TensorMap inputs = row({1}, DType::F32, "in.x");
  EXPECT_TRUE(compare(row({1}, DType::F32, "after.x"), {}, {}, inputs).equal());
  EXPECT_FALSE(compare({}, row({2}, DType::F32, "after.x"), {}, inputs).equal());
}

TEST(Comparison, IgnoresWhatIsNoOutput) {
  EXPECT_EQ(compare(row({1}, DType::F32, "in.x"), row({1}, DType::F32, "attr.k")).outputs, 0U);
}

/// Returns a complex row.
TensorMap complexRow(const std::vector<std::pair<float, float>> &values) {
  HostTensor host;
  host.dtype = DType::C64;
  host.sizes = {static_cast<int64_t>(values.size())};
  host.data.resize(values.size() * sizeof values[0]);
  std::memcpy(host.data.data(), values.data(), host.data.size());
  return {{"out.0", host}};
}

TEST(Comparison, ComparesComplexNumbersByTheirParts) {
  EXPECT_TRUE(compare(complexRow({{NAN, 1}, {2, 3}}), complexRow({{-NAN, 1}, {2, 3}})).equal());
  EXPECT_FALSE(compare(complexRow({{NAN, 1}}), complexRow({{NAN, 2}})).equal());
  EXPECT_FALSE(compare(complexRow({{NAN, 1}}), complexRow({{1, NAN}})).equal());
  EXPECT_FALSE(compare(complexRow({{NAN, NAN}}), complexRow({{NAN, 1}})).equal());
  EXPECT_TRUE(compare(complexRow({{NAN, 1}, {2, 3}}), complexRow({{NAN, 1}, {2, 3.5}}), close(0.5, 0)).equal());
}

TEST(Comparison, SaysWhichOutputsProveNothing) {
  auto reasonOf = [](const std::vector<double> &values, DType dtype = DType::F32) {
    Comparison comparison = compare(row(values, dtype), row(values, dtype));
    EXPECT_TRUE(comparison.equal());
    return comparison.unchecked.empty() ? "" : inconclusiveText(comparison.unchecked.front().reason);
  };
  EXPECT_EQ(reasonOf({NAN, -NAN}), "all NaN");
  EXPECT_EQ(reasonOf({INFINITY, -INFINITY}), "all infinite or NaN");
  EXPECT_EQ(reasonOf({INFINITY, NAN}), "all infinite or NaN");
  EXPECT_EQ(reasonOf({}), "empty");
  EXPECT_EQ(reasonOf({3, 3, 3}), "the same number everywhere");
  EXPECT_EQ(reasonOf({1, 1}, DType::Bool), "the same number everywhere");
  EXPECT_EQ(reasonOf({NAN, 1}), "");
  EXPECT_EQ(reasonOf({3}), "") << "one number is no pattern: a loss is one";
  EXPECT_EQ(reasonOf({3, 3, 4}, DType::I64), "");
}

TEST(Comparison, CountsWhatIsOddWhereItIsEqual) {
  Comparison comparison = compare(row({NAN, INFINITY, 1, 2}), row({NAN, INFINITY, 1, 2}));
  EXPECT_EQ(comparison.nans, 1U);
  EXPECT_EQ(comparison.infinities, 1U);
  EXPECT_TRUE(comparison.answered());
  EXPECT_FALSE(compare(row({INFINITY}), row({-INFINITY})).equal());
}

TEST(Comparison, AnswersNothingWhereAnOutputIsNaNThroughout) {
  TensorMap values = row({1, 2});
  values.merge(row({NAN, NAN}, DType::F32, "out.1"));
  EXPECT_TRUE(compare(values, values).equal());
  EXPECT_FALSE(compare(values, values).answered());
  TensorMap constants = row({1, 2});
  constants.merge(row({0, 0}, DType::F32, "out.1"));
  EXPECT_TRUE(compare(constants, constants).answered());
  EXPECT_FALSE(compare(row({0, 0}), row({0, 0})).answered()) << "nothing else was checked";
}

TEST(Comparison, TakesForConstantOnlyWhatIsSoOnAllRanks) {
  std::vector<TensorMap> same{row({3, 3}), row({3, 3})}, others{row({3, 3}), row({4, 4})}, none(2);
  EXPECT_EQ(compareRuns({same, same, none}, {}).unchecked.size(), 2U);
  EXPECT_EQ(compareRuns({others, others, none}, {}).unchecked.size(), 0U);
}

} // namespace
} // namespace ccgraph::runtime
