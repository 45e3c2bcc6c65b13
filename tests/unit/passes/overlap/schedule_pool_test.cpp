// The schedules that may still be the answer, the limits under which the search looks, and what repeats in a program.
#include "schedule/overlap/budget_ladder.h"
#include "schedule/overlap/layers.h"
#include "schedule/overlap/schedule_pool.h"
#include "unit/passes/overlap/problem_text.h"

#include <gtest/gtest.h>

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

Schedule schedule(int64_t picoseconds, int64_t peakBytes, uint32_t name = 0) {
  Schedule result;
  result.order = {name};
  result.picoseconds = picoseconds;
  result.peakBytes = peakBytes;
  return result;
}

} // namespace

TEST(SchedulePool, HasNoAnswerBelowTheSmallestPeak) {
  SchedulePool pool(20, 20);
  pool.add(schedule(100, 10));
  EXPECT_EQ(pool.fastest(9), nullptr);
  ASSERT_NE(pool.fastest(10), nullptr);
  EXPECT_EQ(pool.smallest().peakBytes, 10);
}

TEST(SchedulePool, MoreMemoryIsNeverSlower) {
  SchedulePool pool(20, 20);
  for (auto [time, peak] : {std::pair(90, 14), {100, 10}, {95, 16}, {80, 20}, {97, 12}})
    pool.add(schedule(time, peak));
  EXPECT_EQ(pool.fastest(11)->picoseconds, 100);
  EXPECT_EQ(pool.fastest(13)->picoseconds, 97);
  EXPECT_EQ(pool.fastest(19)->picoseconds, 90);
  EXPECT_EQ(pool.fastest(20)->picoseconds, 80);
}

TEST(SchedulePool, TheFirstOfTwoAsFastWins) {
  SchedulePool pool(10, 10);
  pool.add(schedule(100, 10, 1));
  pool.add(schedule(100, 10, 2));
  pool.add(schedule(100, 8, 3));
  EXPECT_EQ(pool.fastest(10)->order.front(), 1U);
  EXPECT_EQ(pool.fastest(9)->order.front(), 3U);
}

TEST(SchedulePool, WhatFitsLaterStays) {
  SchedulePool pool(20, 30);
  pool.setLimit(10);
  pool.add(schedule(100, 10));
  pool.add(schedule(50, 20));
  pool.add(schedule(40, 31));
  EXPECT_EQ(pool.fastest(10)->picoseconds, 100);
  pool.setLimit(20);
  EXPECT_EQ(pool.fastest(20)->picoseconds, 50);
  EXPECT_EQ(pool.fastest(31)->picoseconds, 50) << "what fits no limit was kept";
}

TEST(SchedulePool, WhereNothingFitsTheSmallestStays) {
  SchedulePool pool(5, 5);
  pool.add(schedule(100, 10));
  pool.add(schedule(50, 20));
  pool.add(schedule(200, 8));
  EXPECT_EQ(pool.fastest(5), nullptr);
  EXPECT_EQ(pool.smallest().peakBytes, 8);
  pool.add(schedule(300, 4));
  EXPECT_EQ(pool.fastest(5)->picoseconds, 300);
}

TEST(BudgetLadder, TheLimitsOfASmallerBudgetAreAmongThoseOfALargerOne) {
  constexpr KnownPeaks peaks = {900, 1000};
  std::vector<Limit> all = budgetLadder(peaks, unlimited);
  EXPECT_EQ(all.front().bytes, 900);
  EXPECT_EQ(all.back().bytes, unlimited);
  for (int64_t budget = 900; budget < 9000; ++budget) {
    std::vector<Limit> some = budgetLadder(peaks, budget);
    ASSERT_LE(some.size(), all.size());
    for (size_t i = 0; i < some.size(); ++i) {
      EXPECT_EQ(some[i].bytes, all[i].bytes) << budget;
      EXPECT_EQ(some[i].isThorough, all[i].isThorough) << budget;
    }
    EXPECT_GE(some.back().bytes, budget);
    EXPECT_TRUE(some.size() == 1 || some[some.size() - 2].bytes < budget) << budget;
  }
}

TEST(BudgetLadder, TheProgramsOwnPeakIsALimit) {
  std::vector<Limit> own = budgetLadder({1000, 1000}, 1000);
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own.front().bytes, 1000);
  std::vector<Limit> two = budgetLadder({990, 1000}, 1000);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two.front().bytes, 990);
  EXPECT_EQ(two.back().bytes, 1000);
  EXPECT_TRUE(two.front().isThorough && two.back().isThorough);
}

TEST(BudgetLadder, BelowAllThatIsKnownTheBudgetIsTheOnlyLimit) {
  std::vector<Limit> limits = budgetLadder({900, 1000}, 899);
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_EQ(limits.front().bytes, 899);
}

TEST(Layers, ThePeriodIsThatOfWhatRepeats) {
  EXPECT_EQ(periodOf({64, 8, 8, 2, 8, 8, 2, 8, 8, 2, 8, 8, 2, 64}), 3U);
  EXPECT_EQ(periodOf({5, 5, 5, 5}), 1U);
  EXPECT_EQ(periodOf({1, 2, 3, 4, 5, 6}), 0U);
  EXPECT_EQ(periodOf({}), 0U);
}

TEST(Layers, AGatherThatRepeatsNothingIsALayerOfItsOwn) {
  std::string text = "p input 0\n";
  std::string before = "p";
  auto gather = [&](const std::string &name, int bytes) {
    text += "g" + name + " launch 10 bytes " + std::to_string(bytes) + " key 0 makes 1 needs p\n";
    text += "w" + name + " wait lands g" + name + "\n";
    text += "c" + name + " compute 2000 makes 1 needs w" + name + " needs " + before + "\n";
    before = "c" + name;
  };
  gather("e", 64);
  for (int layer = 0; layer < 6; ++layer)
    for (auto [name, bytes] : {std::pair("q", 8), {"k", 6}, {"n", 2}})
      gather(name + std::to_string(layer), bytes);
  gather("h", 64);
  NamedProblem named = problemOf(text + "o compute 0 needs " + before + "\n");
  Tasks tasks(named.problem);
  Layers layers(tasks);
  std::vector<uint32_t> sizes;
  for (uint32_t task = 0, last = none; task < tasks.size(); ++task)
    if (uint32_t layer = layers.of(task); layer != none && layer != last) {
      sizes.push_back(layers.size(layer));
      last = layer;
    }
  EXPECT_EQ(sizes, std::vector<uint32_t>({1, 3, 3, 3, 3, 3, 3, 1}));
}
