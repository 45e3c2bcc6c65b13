// Tests random operators: one stream for each rank, the same on all of them, drawn in program order.
#include "support/rank_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace ccgraph::test {
namespace {

using Row = std::vector<double>;

RankProgram ranks(size_t count, const std::string &body) {
  RankProgram program(count, "x: \"f32[1000]\"\n" + body);
  program.legibleInput({1000});
  return program;
}

double meanOf(const Row &row) { return std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size()); }

TEST(Random, IsTheSameOnEveryRankAndInEveryRun) {
  RankProgram program = ranks(2, "a = aten.rand_like.default(x)\n return (a,)");
  EXPECT_EQ(program.output(0), program.output(1));
  EXPECT_EQ(program.output(0), program.output(0));
}

TEST(Random, GoesOnFromDrawToDraw) {
  RankProgram program = ranks(1, "a = aten.rand_like.default(x)\n b = aten.rand_like.default(x)\n return (a, b)");
  EXPECT_NE(program.output(0, "out.0"), program.output(0, "out.1"));
}

TEST(Random, ShowsWhenTwoDrawsChangePlaces) {
  const std::string a = "a = aten.rand_like.default(x)\n", b = "b = aten.randn_like.default(x)\n",
                    end = "return (a, b)";
  EXPECT_NE(ranks(1, a + b + end).output(0, "out.1"), ranks(1, b + a + end).output(0, "out.1"));
}

TEST(Random, HasTheRightMeans) {
  EXPECT_NEAR(meanOf(ranks(1, "a = aten.rand.default([1000])\n return (a,)").output(0)), 0.5, 0.05);
  EXPECT_NEAR(meanOf(ranks(1, "a = aten.randn.default([1000])\n return (a,)").output(0)), 0, 0.1);
  EXPECT_NEAR(meanOf(ranks(1, "a = aten.bernoulli.p(x, 0.25)\n return (a,)").output(0)), 0.25, 0.05);
  EXPECT_NEAR(meanOf(ranks(1, "a = aten.randint.low(-4, 5, [1000])\n return (a,)").output(0)), 0, 0.3);
  EXPECT_NEAR(
      meanOf(ranks(1, "y = aten.full.default([1000], 0.75)\n a = aten.bernoulli.default(y)\n return (a,)").output(0)),
      0.75, 0.05);
}

TEST(Random, PermutationsHoldEachNumberOnce) {
  Row row = ranks(1, "a = aten.randperm.default(100)\n return (a,)").output(0), sorted = row, expected(100);
  std::iota(expected.begin(), expected.end(), 0.0);
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, expected);
  EXPECT_NE(row, expected);
}

TEST(Random, DropoutScalesWhatItKeeps) {
  RankProgram program =
      ranks(1, "d = aten.native_dropout.default(x, 0.5, True)\n a = d[0]\n m = d[1]\n return (a, m, x)");
  Row dropped = program.output(0, "out.0"), mask = program.output(0, "out.1"), x = program.output(0, "out.2");
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(dropped[i], mask[i] * 2 * x[i]);
  EXPECT_NEAR(meanOf(mask), 0.5, 0.06);
}

TEST(Random, DropoutThatDropsNothingDrawsNothing) {
  for (const char *call :
       {"d = aten.native_dropout.default(x, 0.0, True)", "d = aten.native_dropout.default(x, 0.5, False)"}) {
    RankProgram program =
        ranks(1, std::string(call) + "\n a = d[0]\n r = aten.rand_like.default(x)\n return (a, r, x)");
    EXPECT_EQ(program.output(0, "out.0"), program.output(0, "out.2"));
    EXPECT_EQ(program.output(0, "out.1"), ranks(1, "r = aten.rand_like.default(x)\n return (r,)").output(0));
  }
}

TEST(Random, RefusesArgumentsThatMakeNoSense) {
  EXPECT_NE(ranks(1, "a = aten.bernoulli.p(x, 1.5)\n return (a,)").error().find("expected a probability from 0 to 1"),
            std::string::npos);
  EXPECT_NE(ranks(1, "a = aten.randint.low(5, 5, [2])\n return (a,)").error().find("expected more than 5"),
            std::string::npos);
  EXPECT_NE(ranks(1, "a = aten.rand.default([-1])\n return (a,)").error().find("expected sizes from 0 on"),
            std::string::npos);
}

} // namespace
} // namespace ccgraph::test
