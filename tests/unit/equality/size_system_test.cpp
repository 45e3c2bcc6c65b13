// SizeSystem: smaller numbers that keep relations, and relations for which there are none.
#include "sizes/size_system.h"

#include <gtest/gtest.h>

#include <set>

namespace ccgraph::equality {
namespace {

struct SizeSystemTest : testing::Test {
  SizeSystem system;

  /// Returns the number of each variable.
  std::vector<int64_t> solved(const std::map<SizeVariable, int64_t> &ranks = {}) {
    std::optional<std::vector<int64_t>> numbers = system.solve(ranks, 2, SizeTies::Forms);
    EXPECT_TRUE(numbers);
    return numbers.value_or(std::vector<int64_t>(1000, 0));
  }
};

TEST_F(SizeSystemTest, ProductsHold) {
  SizeVariable hidden = system.add(4096), heads = system.add(32), size = system.add(128);
  system.relateProducts({hidden}, {heads, size});
  std::vector<int64_t> numbers = solved();
  EXPECT_EQ(numbers[hidden], numbers[heads] * numbers[size]);
  EXPECT_LT(numbers[hidden], 64);
}

TEST_F(SizeSystemTest, SumsHold) {
  SizeVariable fused = system.add(18432), q = system.add(16384), k = system.add(1024);
  system.relateSum(fused, {q, k, k});
  std::vector<int64_t> numbers = solved();
  EXPECT_EQ(numbers[fused], numbers[q] + 2 * numbers[k]);
}

TEST_F(SizeSystemTest, DifferentSizesStayDifferentAndAboveOne) {
  std::vector<int64_t> values = {2, 3, 5, 8, 13, 1024};
  SizeVariables variables;
  for (int64_t value : values)
    variables.push_back(system.add(value));
  std::vector<int64_t> numbers = solved();
  std::set<int64_t> distinct;
  for (SizeVariable variable : variables) {
    EXPECT_GE(numbers[variable], 2);
    EXPECT_LE(numbers[variable], system.valueOf(variable));
    distinct.insert(numbers[variable]);
  }
  EXPECT_EQ(distinct.size(), values.size());
}

TEST_F(SizeSystemTest, EqualSizesThatNoOperatorRelatesMayDiffer) {
  SizeVariable heads = system.add(128), size = system.add(128), whole = system.add(16384);
  system.relateProducts({whole}, {heads, size});
  system.relateProducts({heads}, {system.constant(8), system.add(16)});
  std::vector<int64_t> numbers = solved();
  EXPECT_EQ(numbers[heads] % 8, 0);
  EXPECT_LT(numbers[size], numbers[heads]);
}

TEST_F(SizeSystemTest, OneAndConstantsStay) {
  EXPECT_EQ(system.add(1), SizeSystem::one);
  SizeVariable three = system.add(3), large = system.add(4096);
  system.fix(three);
  std::vector<int64_t> numbers = solved();
  EXPECT_EQ(numbers[SizeSystem::one], 1);
  EXPECT_EQ(numbers[three], 3);
  EXPECT_EQ(numbers[large], 2);
}

TEST_F(SizeSystemTest, RanksAreThoseOfTheCaller) {
  SizeVariable ranks = system.add(64), batch = system.add(64), rows = system.add(512), mine = system.add(8);
  system.relateProducts({batch}, {ranks, SizeSystem::one});
  system.relateProducts({rows}, {ranks, mine});
  std::vector<int64_t> numbers = solved({{ranks, 3}});
  EXPECT_EQ(numbers[batch], 3);
  EXPECT_EQ(numbers[rows], 3 * numbers[mine]);
}

TEST_F(SizeSystemTest, PaddingIsBelowTheRanks) {
  SizeVariable ranks = system.add(64), rows = system.add(16032), chunk = system.add(251);
  SizeVariable padded = system.add(16064), padding = system.add(32);
  system.relateProducts({padded}, {ranks, chunk});
  system.relateSum(padded, {rows, padding});
  system.relateBelow(padding, ranks);
  EXPECT_FALSE(system.solve({{ranks, 2}}, 2, SizeTies::Forms))
      << "a padding of 1 row would be no padding of several rows";
  std::vector<int64_t> numbers = solved({{ranks, 3}});
  EXPECT_EQ(numbers[padding], 2);
  EXPECT_EQ(3 * numbers[chunk], numbers[rows] + 2);
}

TEST_F(SizeSystemTest, RelationsThatNoSmallerNumbersSatisfyHaveNoSolution) {
  SizeVariable ranks = system.add(64), rows = system.add(128);
  system.relateProducts({rows}, {ranks, system.constant(2)});
  system.fix(rows);
  EXPECT_FALSE(system.solve({{ranks, 3}}, 2, SizeTies::Forms));
  EXPECT_TRUE(system.solve({{ranks, 64}}, 2, SizeTies::Forms));
}

TEST_F(SizeSystemTest, SquaresAreSolved) {
  SizeVariable whole = system.add(16384), side = system.add(128);
  system.relateProducts({whole}, {side, side});
  system.relateProducts({whole}, {system.constant(8), system.add(2048)});
  std::vector<int64_t> numbers = solved();
  EXPECT_EQ(numbers[whole], numbers[side] * numbers[side]);
  EXPECT_EQ(numbers[whole] % 8, 0);
}

TEST_F(SizeSystemTest, AnotherSmallestNumberGivesOtherSizes) {
  SizeVariable size = system.add(4096);
  EXPECT_EQ((*system.solve({}, 2, SizeTies::Forms))[size], 2);
  EXPECT_EQ((*system.solve({}, 3, SizeTies::Forms))[size], 3);
}

} // namespace
} // namespace ccgraph::equality
