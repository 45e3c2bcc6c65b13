// The memory limits under which the search looks for schedules.
#include "schedule/overlap/memory_limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

using namespace ccgraph::overlap;

namespace {

std::vector<int64_t> bytesOf(KnownPeaks peaks, int64_t budget) {
  std::vector<int64_t> bytes;
  for (const MemoryLimit &limit : memoryLimits(peaks, budget))
    bytes.push_back(limit.bytes);
  return bytes;
}

/// The limits with all trial schedules.
std::vector<int64_t> fullOf(KnownPeaks peaks, int64_t budget) {
  std::vector<int64_t> bytes;
  for (const MemoryLimit &limit : memoryLimits(peaks, budget))
    if (limit.effort == Effort::Full)
      bytes.push_back(limit.bytes);
  return bytes;
}

constexpr KnownPeaks thousand = {1000, 1000, 1000};

} // namespace

TEST(MemoryLimits, TheBudgetIsTheOnlyLimitAtThePeakOfTheProgram) {
  EXPECT_EQ(memoryLimits(thousand, 1000), std::vector<MemoryLimit>({{1000, Effort::Full}}));
}

TEST(FullLimits, AreThoseOfFullEffortBelowTheBudget) {
  EXPECT_EQ(fullLimits(1000, 1050), std::vector<int64_t>({800, 900, 950, 1000}));
  EXPECT_EQ(fullLimits(1000, 1051), std::vector<int64_t>({800, 900, 950, 1000, 1050}));
  std::vector<int64_t> limits = fullOf({800, 800, 1000}, unlimited);
  ASSERT_EQ(limits.back(), unlimited);
  limits.pop_back();
  EXPECT_EQ(fullLimits(1000, unlimited), limits);
}

TEST(MemoryLimits, TheNextLimitAboveABudgetMayHaveAResultThatFits) {
  EXPECT_EQ(bytesOf(thousand, 1001), std::vector<int64_t>({1000, 1010}));
  EXPECT_EQ(bytesOf(thousand, 1030), std::vector<int64_t>({1000, 1010, 1020, 1030}));
  EXPECT_EQ(bytesOf(thousand, 1031), std::vector<int64_t>({1000, 1010, 1020, 1030, 1040}));
  EXPECT_EQ(bytesOf(thousand, 1149).back(), 1150);
}

TEST(MemoryLimits, TheFirstLimitHasAllTrialSchedules) {
  EXPECT_EQ(bytesOf({960, 962, 1000}, 1000), std::vector<int64_t>({1000, 962, 975}));
  EXPECT_EQ(bytesOf({960, 962, 1000}, 965), std::vector<int64_t>({1000, 962, 975}));
  EXPECT_EQ(bytesOf({960, 962, 1000}, 1005), std::vector<int64_t>({1000, 962, 975, 1010}));
}

TEST(MemoryLimits, AllTrialSchedulesMayFindAnOrderBelowTheLeastKnownPeak) {
  EXPECT_EQ(bytesOf({850, 910, 1000}, 1000), std::vector<int64_t>({900, 910, 925, 950, 975, 1000}));
  EXPECT_EQ(bytesOf({980, 1003, 1000}, 1020), std::vector<int64_t>({1000, 1003, 1010, 1020}));
}

TEST(MemoryLimits, ABudgetBelowTheLeastKnownPeakIsALimit) {
  EXPECT_EQ(memoryLimits({850, 910, 1000}, 909), std::vector<MemoryLimit>({{900, Effort::Full}, {909, Effort::Full}}));
  EXPECT_EQ(memoryLimits({850, 910, 1000}, 700), std::vector<MemoryLimit>({{700, Effort::Full}}));
}

TEST(MemoryLimits, FewLimitsGetAllTrialSchedules) {
  EXPECT_EQ(fullOf(thousand, unlimited), std::vector<int64_t>({1000, 1050, 1100, 1250, 1500, 2000, 2600, unlimited}));
  EXPECT_EQ(fullOf({700, 700, 1000}, 1000), std::vector<int64_t>({800, 900, 950, 1000}));
}

TEST(MemoryLimits, ABudgetAboveAllPartsHasAnUnlimitedLimit) {
  EXPECT_EQ(bytesOf(thousand, 2600).back(), 2600);
  EXPECT_EQ(bytesOf(thousand, 2601).back(), unlimited);
  EXPECT_EQ(bytesOf({0, 0, 0}, 5), std::vector<int64_t>({0, unlimited}));
}

TEST(MemoryLimits, APartThatNoNumberHoldsIsUnlimited) {
  constexpr int64_t huge = 2'000'000'000'000'000'000;
  constexpr int64_t largest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(fullOf({huge, huge, huge}, largest),
            std::vector<int64_t>({huge, huge / 100 * 105, huge / 100 * 110, unlimited}));
}

TEST(MemoryLimits, TheLimitsOfABudgetAreAPrefixOfThoseOfALargerOne) {
  constexpr KnownPeaks peaks = {40'000'000'777, 41'000'000'555, 50'000'000'333};
  std::mt19937_64 random(1);
  auto any = [&] { return peaks.least + static_cast<int64_t>(random() % 120'000'000'000); };
  for (int i = 0; i < 2000; ++i) {
    int64_t a = any(), b = any();
    std::vector<MemoryLimit> few = memoryLimits(peaks, std::min(a, b)), all = memoryLimits(peaks, std::max(a, b));
    ASSERT_LE(few.size(), all.size());
    ASSERT_TRUE(std::equal(few.begin(), few.end(), all.begin())) << a << " and " << b;
  }
}
