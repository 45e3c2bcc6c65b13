// Tests seeded inputs: they depend only on seed, rank, name and type, and readers accept them.
#include "ccgraph/runtime/seeded_inputs.h"

#include "support/rank_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ccgraph::runtime {
namespace {

std::vector<double> valuesOf(const std::string &program, const std::string &name, int64_t rank = 0, uint64_t seed = 0) {
  Context context;
  TensorMap inputs = seededInputs(*test::programGraph(context, program), rank, seed);
  return inputs.count(name) ? test::numbersOf(inputs.at(name)) : std::vector<double>();
}

void expectWithin(const std::vector<double> &values, double least, double most) {
  ASSERT_FALSE(values.empty());
  EXPECT_GE(*std::min_element(values.begin(), values.end()), least);
  EXPECT_LE(*std::max_element(values.begin(), values.end()), most);
}

TEST(SeededInputs, AreNotMadeWhereMemoryDoesNotHoldThem) {
  EXPECT_TRUE(valuesOf("x: \"f32[4294967296, 4294967296, 4]\"\n return (x,)", "in.x").empty());
  EXPECT_TRUE(valuesOf("x: \"f32[-4]\"\n return (x,)", "in.x").empty());
  Context context;
  auto graph = test::programGraph(context, "x: \"f32[4]\", y: \"f32[4]\"\n return (x, y)");
  EXPECT_EQ(seededInputs(*graph, 0, 0, 31).size(), 1U);
  EXPECT_EQ(seededInputs(*graph, 0, 0, 32).size(), 2U);
}

TEST(SeededInputs, DependOnSeedRankAndName) {
  const std::string text = "x: \"f32[64]\", y: \"f32[64]\"\n return (x, y)";
  EXPECT_EQ(valuesOf(text, "in.x"), valuesOf(text, "in.x"));
  EXPECT_NE(valuesOf(text, "in.x"), valuesOf(text, "in.y"));
  EXPECT_NE(valuesOf(text, "in.x"), valuesOf(text, "in.x", 1));
  EXPECT_NE(valuesOf(text, "in.x"), valuesOf(text, "in.x", 0, 1));
}

TEST(SeededInputs, DoNotDependOnOtherNodes) {
  EXPECT_EQ(valuesOf("x: \"f32[8]\"\n return (x,)", "in.x"),
            valuesOf("z: \"f32[2]\", x: \"f32[8]\"\n a = aten.mul.Tensor(x, 2)\n return (a,)", "in.x"));
}

TEST(SeededInputs, AreNearNormal) {
  std::vector<double> values = valuesOf("x: \"f64[10000]\"\n return (x,)", "in.x");
  double mean = std::accumulate(values.begin(), values.end(), 0.0) / 10000, square = 0;
  for (double v : values)
    square += (v - mean) * (v - mean);
  EXPECT_NEAR(mean, 0, 0.05);
  EXPECT_NEAR(square / 10000, 1, 0.05);
  expectWithin(values, -3.5, 3.5);
}

TEST(SeededInputs, IndexWhatIsThere) {
  const std::string text = R"(t: "f32[5, 2]", i: "i64[200]"
    v = aten.view.default(i, [10, 20])
    c = _c10d_functional.all_gather_into_tensor.default(v, 2, '0')
    w = _c10d_functional.wait_tensor.default(c)
    e = aten.embedding.default(t, w)
    return (e,))";
  std::vector<double> values = valuesOf(text, "in.i");
  expectWithin(values, 0, 4);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 4);
}

TEST(SeededInputs, IndexTheNarrowestReader) {
  expectWithin(valuesOf("a: \"f32[9]\", b: \"f32[2, 3]\", i: \"i64[50]\"\n x = aten.index.Tensor(a, [i])\n y = "
                        "aten.gather.default(b, 1, i)\n z = aten.index.Tensor(b, [None, i])\n return (x, y, z)",
                        "in.i"),
               0, 2);
}

TEST(SeededInputs, AreSmallWhereAnIndexIsComputedFromThem) {
  expectWithin(
      valuesOf(
          "a: \"f32[9]\", i: \"i64[50]\"\n j = aten.add.Tensor(i, 3)\n x = aten.index.Tensor(a, [j])\n return (x,)",
          "in.i"),
      0, 1);
}

TEST(SeededInputs, ArePositiveUnderARoot) {
  expectWithin(
      valuesOf("x: \"f32[100]\"\n m = aten.mul.Tensor(x, 0.9)\n s = aten.sqrt.default(m)\n return (s,)", "in.x"),
      0.0625, 4);
}

/// An Adam step of one number, in the form of generated programs and of PyTorch's compiler.
const char *const adamSteps[] = {
    R"(g: "f32[100]", square: "f32[100]", step: "f32[100]"
    next = aten.add.Tensor(step, 1)
    m = aten.mul.Tensor(next, -0.001)
    e = aten.exp.default(m)
    early = aten.rsub.Scalar(e, 1)
    gg = aten.mul.Tensor(g, g)
    s = aten.add.Tensor(square, gg)
    q = aten.div.Tensor(s, early)
    r = aten.sqrt.default(q)
    return (r,))",
    R"(g: "f32[100]", square: "f32[100]", step: "f32[100]"
    p = aten.pow.Scalar(0.999, step)
    d = aten.sub.Tensor(p, 1)
    early = aten.neg.default(d)
    gg = aten.mul.Tensor(g, g)
    s = aten.add.Tensor(square, gg)
    q = aten.div.Tensor(s, early)
    r = aten.sqrt.default(q)
    return (r,))",
};

TEST(SeededInputs, MakeSecondMomentsAndStepCountsPositive) {
  for (const char *text : adamSteps) {
    expectWithin(valuesOf(text, "in.square"), 0.0625, 4);
    expectWithin(valuesOf(text, "in.step"), 0.0625, 4);
    // A square is never negative, while the gradient may have either sign.
    std::vector<double> gradient = valuesOf(text, "in.g");
    EXPECT_LT(*std::min_element(gradient.begin(), gradient.end()), -1);
  }
}

TEST(SeededInputs, AreNegativeWhereTheirNegationIsUnderARoot) {
  expectWithin(valuesOf("x: \"f32[100]\"\n m = aten.neg.default(x)\n s = aten.sqrt.default(m)\n return (s,)", "in.x"),
               -4, -0.0625);
  expectWithin(valuesOf("x: \"f32[100]\"\n m = aten.mul.Tensor(x, -2)\n s = aten.log.default(m)\n return (s,)", "in.x"),
               -4, -0.0625);
}

TEST(SeededInputs, AreNumbersOtherwise) {
  expectWithin(valuesOf("x: \"i64[100]\"\n return (x,)", "in.x"), -8, 7);
  expectWithin(valuesOf("x: \"u8[100]\"\n return (x,)", "in.x"), 1, 9);
  expectWithin(valuesOf("x: \"b8[100]\"\n return (x,)", "in.x"), 0, 1);
}

TEST(SeededInputs, ChooseSymbolsOnce) {
  const std::string text = "s: \"Sym(s0)\", x: \"f32[s0, 2*s0]\"\n return (x, s)";
  EXPECT_EQ(valuesOf(text, "in.s"), std::vector<double>{4});
  EXPECT_EQ(valuesOf(text, "in.x").size(), 32U);
}

TEST(SeededInputs, LeaveOutWhatHasNoType) {
  EXPECT_TRUE(valuesOf("x: \"f32[2]\", mesh\n return (x, mesh)", "in.mesh").empty());
  EXPECT_EQ(valuesOf("x: \"f32[2]\"\n k: \"f32[3]\" = self.k\n return (k,)", "attr.k").size(), 3U);
}

} // namespace
} // namespace ccgraph::runtime
