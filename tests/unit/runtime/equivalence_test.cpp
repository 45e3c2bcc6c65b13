// Tests equivalence: two programs are equivalent if a caller observes the same values; the tests define what a caller
// observes.
#include "ccgraph/runtime/equivalence.h"

#include "support/rank_program.h"

#include <gtest/gtest.h>

namespace ccgraph::runtime {
namespace {

/// Returns the verdict on two whole programs of two ranks; in.x is legible, and so is in.y if it is an input.
EquivalenceReport equivalenceOf(const std::string &before, const std::string &after) {
  test::RankProgram first(2, before), second(2, after);
  first.legibleInput({2}).legibleInput({2}, "y", DType::F64);
  for (size_t rank = 0; rank < 2; ++rank)
    first.input(rank, "z", test::hostTensor(DType::F32, {2}, {7, 5}));
  RunRequest request = first.request();
  for (TensorMap &inputs : request.inputs)
    inputs["attr.k"] = test::hostTensor(DType::F32, {2}, {1, 2});
  return checkEquivalence(request, {&second.graph()}, {});
}

/// Does the same for programs with input x.
EquivalenceReport equivalence(const std::string &before, const std::string &after) {
  return equivalenceOf("x: \"f32[2]\"\n" + before, "x: \"f32[2]\"\n" + after);
}

/// Returns the first difference; "" if the programs are equivalent.
std::string differenceOf(const EquivalenceReport &report) {
  if (report.comparison.differences.empty())
    return report.beforeFailure + report.afterFailure;
  const Difference &first = report.comparison.differences.front();
  return first.output + ": " + first.message;
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

TEST(Equivalence, GivesInputsByPosition) {
  EXPECT_EQ(equivalenceOf("x: \"f32[2]\", z: \"f32[2]\"\n d = aten.sub.Tensor(x, z)\n return (d,)",
                          "a: \"f32[2]\", b: \"f32[2]\"\n c = aten.sub.Tensor(a, b)\n return (c,)")
                .verdict,
            Verdict::Equal)
      << "a mere renaming";
  EXPECT_EQ(equivalenceOf("x: \"f32[2]\", z: \"f32[2]\"\n d = aten.sub.Tensor(x, z)\n return (d,)",
                          "z: \"f32[2]\", x: \"f32[2]\"\n d = aten.sub.Tensor(x, z)\n return (d,)")
                .verdict,
            Verdict::Different)
      << "the same names in another order";
  EXPECT_EQ(equivalenceOf("x: \"f32[2]\", y: \"f64[2]\"\n d = aten.neg.default(x)\n return (d,)",
                          "y: \"f64[2]\", x: \"f32[2]\"\n d = aten.neg.default(x)\n return (d,)")
                .verdict,
            Verdict::Different);
  EXPECT_EQ(differenceOf(equivalenceOf("x: \"f32[2]\", z: \"f32[2]\"\n d = aten.neg.default(x)\n return (d,)",
                                       "x: \"f32[2]\"\n d = aten.neg.default(x)\n return (d,)")),
            "program: takes 1 inputs, expected 2");
}

TEST(Equivalence, SeesHowManyResultsThereAreAndOfWhatKind) {
  EXPECT_EQ(
      differenceOf(equivalence("a = aten.neg.default(x)\n return (a, None)", "a = aten.neg.default(x)\n return (a,)")),
      "results: are [tensor], expected [tensor, None]");
  EXPECT_EQ(differenceOf(equivalence("a = aten.neg.default(x)\n return (None, a)",
                                     "a = aten.neg.default(x)\n return (a, None)")),
            "results: are [tensor, None], expected [None, tensor]");
  EXPECT_EQ(
      differenceOf(equivalence("a = aten.neg.default(x)\n return (a, 1)", "a = aten.neg.default(x)\n return (a, 1.0)")),
      "results: are [tensor, float], expected [tensor, int]");
}

TEST(Equivalence, SeesStrides) {
  const std::string t = "v = aten.view.default(x, [2, 1])\n e = aten.expand.default(v, [2, 2])\n"
                        "c = aten.clone.default(e)\n m = aten.mul.Tensor(c, c)\n t = aten.t.default(m)\n";
  EXPECT_EQ(differenceOf(equivalence(t + "return (t,)", t + "k = aten.clone.default(t, memory_format = "
                                                            "torch.contiguous_format)\n return (k,)")),
            "out.0: has strides [2, 1], expected [1, 2]");
  EXPECT_EQ(
      equivalence("v = aten.view.default(x, [1, 2])\n return (v,)", "v = aten.unsqueeze.default(x, 0)\n return (v,)")
          .verdict,
      Verdict::Equal)
      << "the stride of one element leads nowhere";
}

TEST(Equivalence, SeesWhatSharesMemory) {
  EXPECT_EQ(differenceOf(equivalence("return (x,)", "c = aten.clone.default(x)\n return (c,)")),
            "out.0: has memory of its own, expected some of in.x");
  EXPECT_EQ(differenceOf(equivalence("c = aten.clone.default(x)\n return (c,)", "return (x,)")),
            "out.0: shares memory with in.x, expected memory of its own");
  EXPECT_EQ(differenceOf(equivalence("a = aten.neg.default(x)\n return (a, a)",
                                     "a = aten.neg.default(x)\n b = aten.neg.default(x)\n return (a, b)")),
            "out.1: has memory of its own, expected some of out.0");
}

TEST(Equivalence, SeesWhereMemoryIsShared) {
  const std::string fill =
      "f = aten.full.default([4], 3)\n a = aten.slice.Tensor(f, 0, 0, 3)\n n = aten.neg.default(x)\n ";
  EXPECT_EQ(differenceOf(equivalence(fill + "b = aten.slice.Tensor(f, 0, 1, 3)\n return (a, b, n)",
                                     fill + "b = aten.slice.Tensor(f, 0, 2, 4)\n return (a, b, n)")),
            "out.1: begins 16 bytes after out.0, expected 8");
}

TEST(Equivalence, DoesNotSeeThatTwoTensorsLieSideBySide) {
  const std::string halves = "c = aten.clone.default(x)\n a = aten.slice.Tensor(c, 0, 0, 1)\n"
                             "b = aten.slice.Tensor(c, 0, 1, 2)\n";
  EXPECT_EQ(equivalence(halves + "p = aten.clone.default(a)\n q = aten.clone.default(b)\n return (p, q)",
                        halves + "return (a, b)")
                .verdict,
            Verdict::Equal);
}

TEST(Equivalence, TellsInterleavedFromOverlapping) {
  const std::string columns = "v = aten.view.default(x, [1, 2])\n e = aten.expand.default(v, [2, 2])\n"
                              "c = aten.clone.default(e, memory_format = torch.contiguous_format)\n"
                              "a = aten.slice.Tensor(c, 1, 0, 1)\n b = aten.slice.Tensor(c, 1, 1, 2)\n";
  const std::string apart = "d = aten.clone.default(e, memory_format = torch.contiguous_format)\n"
                            "b2 = aten.slice.Tensor(d, 1, 1, 2)\n";
  EXPECT_EQ(equivalence(columns + "return (a, b)", columns + apart + "return (a, b2)").verdict, Verdict::Equal);
  EXPECT_EQ(equivalence(columns + "return (c, b)", columns + apart + "return (c, b2)").verdict, Verdict::Different);
}

TEST(Equivalence, SeesWhatIsWrittenIntoAttributes) {
  const std::string k = "k: \"f32[2]\" = self.k\n ";
  EXPECT_EQ(differenceOf(equivalence(k + "a = aten.add_.Tensor(k, x)\n b = aten.neg.default(k)\n return (b,)",
                                     k + "a = aten.add.Tensor(k, x)\n b = aten.neg.default(a)\n return (b,)")),
            "after.attr.k: element [1] is 2, expected 103 (2 of 2 elements differ; held bitwise)");
}

TEST(Equivalence, IsNotCheckedWhereAnOutputIsNaNThroughout) {
  const std::string start = "n = aten.neg.default(x)\n m = aten.mul.Tensor(n, 2)\n ";
  EquivalenceReport report =
      equivalence(start + "a = aten.log.default(n)\n return (a, m)", start + "a = aten.log.default(m)\n return (a, m)");
  EXPECT_EQ(report.verdict, Verdict::NotChecked);
  ASSERT_EQ(report.comparison.unchecked.size(), 2U);
  EXPECT_EQ(report.comparison.unchecked[0].reason, Inconclusive::NaN);
  EXPECT_EQ(equivalence("a = aten.ge.Scalar(x, 0)\n return (a,)", "a = aten.ge.Scalar(x, 1)\n return (a,)").verdict,
            Verdict::NotChecked)
      << "true everywhere, and nothing else is returned";
  const std::string full = "f: \"f32[2]\" = aten.full.default([2], 3.0)\n ";
  EXPECT_EQ(equivalence(full + "return (f,)", full + "return (f,)").verdict, Verdict::Equal)
      << "no input reaches it: it is so in every run";
  EXPECT_EQ(
      equivalence(full + "return (f,)", full + "d = aten.sub.Tensor(x, x)\n a = aten.add_.Tensor(f, d)\n return (f,)")
          .verdict,
      Verdict::NotChecked)
      << "an input is written into it";
}

} // namespace
} // namespace ccgraph::runtime
