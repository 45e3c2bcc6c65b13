// The memory limits under which the search looks for schedules.
#include "schedule/overlap/memory_limits.h"

#include <gtest/gtest.h>

#include <limits>

#include <algorithm>

using namespace ccgraph::overlap;

TEST(MemoryLimits, TheBudgetIsTheOnlyLimitAtThePeakOfTheProgram) {
  EXPECT_EQ(memoryLimits({1000, 1000}, 1000), std::vector<int64_t>({1000}));
  EXPECT_EQ(memoryLimits({990, 1000}, 1000), std::vector<int64_t>({1000}));
}

TEST(MemoryLimits, ALargerBudgetHasTheLimitsBelowIt) {
  EXPECT_EQ(memoryLimits({1000, 1000}, 1100), std::vector<int64_t>({1000, 1050, 1100}));
  EXPECT_EQ(memoryLimits({1000, 1000}, 1180), std::vector<int64_t>({1000, 1050, 1100, 1180}));
  EXPECT_EQ(memoryLimits({1000, 1000}, unlimited),
            std::vector<int64_t>({1000, 1050, 1100, 1250, 1500, 2000, 2600, unlimited}));
}

TEST(MemoryLimits, APartThatNoNumberHoldsIsNoLimit) {
  constexpr int64_t huge = 4'000'000'000'000'000'000;
  constexpr int64_t largest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(memoryLimits({huge, huge}, largest),
            std::vector<int64_t>(
                {huge, huge / 100 * 105, huge / 100 * 110, huge / 100 * 125, huge / 100 * 150, huge * 2, largest}));
  EXPECT_EQ(memoryLimits({huge, huge}, unlimited), std::vector<int64_t>({unlimited}));
}

TEST(MemoryLimits, NoLimitIsBelowTheFloorExceptTheBudget) {
  EXPECT_EQ(memoryLimits({850, 1000}, 1000), std::vector<int64_t>({900, 950, 1000}));
  EXPECT_EQ(memoryLimits({850, 1000}, 700), std::vector<int64_t>({700}));
  EXPECT_EQ(memoryLimits({0, 0}, 5), std::vector<int64_t>({0, 5}));
}

TEST(MemoryLimits, ABudgetThatIsALimitSharesAllItsLimitsWithLargerBudgets) {
  constexpr KnownPeaks peaks = {40'000'000'777, 50'000'000'333};
  std::vector<int64_t> all = memoryLimits(peaks, unlimited);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  for (size_t count = 1; count <= all.size(); ++count)
    EXPECT_EQ(memoryLimits(peaks, all[count - 1]), std::vector<int64_t>(all.begin(), all.begin() + count));
}
