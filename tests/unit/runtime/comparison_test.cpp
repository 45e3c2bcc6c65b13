// Comparison and equivalence: what counts as equal, what is reported, and when nothing is proved.
#include "ccgraph/runtime/comparison.h"
#include "ccgraph/runtime/equivalence.h"
#include "support/rank_program.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ccgraph::runtime {
namespace {

using test::hostTensor;

/// One rank's outputs of one name each side.
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

/// The verdict on two programs of two ranks.
EquivalenceReport equivalence(const std::string &before, const std::string &after) {
  test::RankProgram first(2, "x: \"f32[2]\"\n" + before), second(2, "x: \"f32[2]\"\n" + after);
  first.legibleInput({2});
  return checkEquivalence(first.request(), {&second.graph()}, {});
}

constexpr const char *reduceFirst = "c = _c10d_functional.all_reduce.default(x, 'sum', '0')\n w = "
                                    "_c10d_functional.wait_tensor.default(c)\n a = aten.mul.Tensor(w, 2)\n return (a,)";
constexpr const char *scaleFirst = "m = aten.mul.Tensor(x, 2)\n c = _c10d_functional.all_reduce.default(m, 'sum', "
                                   "'0')\n w = _c10d_functional.wait_tensor.default(c)\n return (w,)";
constexpr const char *another = "c = _c10d_functional.all_reduce.default(x, 'max', '0')\n w = "
                                "_c10d_functional.wait_tensor.default(c)\n a = aten.mul.Tensor(w, 2)\n return (a,)";
constexpr const char *broken = "c = _c10d_functional.all_reduce.default(x, 'sum', '0')\n a = aten.mul.Tensor(c, 2)\n w "
                               "= _c10d_functional.wait_tensor.default(c)\n return (a,)";

TEST(Equivalence, OfProgramsThatComputeTheSame) {
  EquivalenceReport report = equivalence(reduceFirst, scaleFirst);
  EXPECT_EQ(report.verdict, Verdict::Equal);
  EXPECT_EQ(report.comparison.outputs, 2U);
}

TEST(Equivalence, OfProgramsThatDoNot) {
  EquivalenceReport report = equivalence(reduceFirst, another);
  EXPECT_EQ(report.verdict, Verdict::Different);
  EXPECT_EQ(report.comparison.differences.size(), 2U);
}

TEST(Equivalence, OfAProgramThatOnlyFailsAfterwards) {
  EquivalenceReport report = equivalence(reduceFirst, broken);
  EXPECT_EQ(report.verdict, Verdict::Different);
  EXPECT_EQ(report.beforeFailure, "");
  EXPECT_NE(report.afterFailure.find("run.in-flight-result"), std::string::npos);
}

TEST(Equivalence, OfProgramsThatBothFailIsNotChecked) {
  EXPECT_EQ(equivalence(broken, broken).verdict, Verdict::NotChecked);
}

TEST(Equivalence, SeesAnInputThatIsNoLongerWritten) {
  EXPECT_EQ(equivalence("a = aten.add_.Scalar(x, 1)\n return (a,)", "a = aten.add.Scalar(x, 1)\n return (a,)").verdict,
            Verdict::Different);
}

} // namespace
} // namespace ccgraph::runtime
