// Tests that what improves a schedule gives the same result with every budget of the range that it states, so that the
// search need not improve a schedule again under each memory limit.
#include "schedule/overlap/budget.h"
#include "schedule/overlap/delay_waits.h"
#include "schedule/overlap/fill_stalls.h"
#include "schedule/overlap/issue_early.h"
#include "schedule/overlap/rebalance.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/robust_schedule.h"
#include "unit/passes/overlap/sound_schedule.h"

#include <gtest/gtest.h>

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

constexpr unsigned programs = 300;

/// Checks that `improve` gives the same schedule at both ends of the range that it states. It must state limits both
/// from below and from above, and the budget outside of the range must matter at times.
template <class Improve>
void expectTrueRanges(Improve improve) {
  unsigned bounded = 0, differs = 0;
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    SCOPED_TRACE(seed);
    auto [problem, schedule, most] = found(seed);
    schedule = measured(problem, std::move(schedule));
    for (const int64_t budget : {schedule.peakBytes - 1, schedule.peakBytes, (schedule.peakBytes + most) / 2, most}) {
      BudgetRange range;
      const Schedule result = improve(problem, schedule, Budget(budget, &range));
      ASSERT_TRUE(range.contains(budget));
      for (const int64_t other : {std::max(range.least, int64_t{0}), std::min(range.end - 1, unlimited)}) {
        const Schedule same = improve(problem, schedule, Budget(other));
        EXPECT_EQ(same.order, result.order);
        EXPECT_EQ(same.buckets, result.buckets);
      }
      if (range.end < unlimited) {
        ++bounded;
        const Schedule larger = improve(problem, schedule, Budget(range.end));
        differs += larger.order != result.order || larger.buckets != result.buckets;
      }
    }
  }
  EXPECT_GE(bounded, programs / 20);
  EXPECT_GE(differs, bounded / 4) << "the ranges are too narrow";
}

} // namespace

TEST(Budget, NarrowsItsRangeByWhatFitsAndWhatDoesNot) {
  BudgetRange range;
  const Budget budget(100, &range);
  EXPECT_TRUE(budget.fits(60));
  EXPECT_FALSE(budget.fits(130));
  EXPECT_TRUE(budget.fits(80));
  EXPECT_FALSE(budget.fits(140));
  EXPECT_EQ(range.least, 80);
  EXPECT_EQ(range.end, 130);
}

TEST(Budget, ALargerOneInItsPlaceDependsOnItNoMore) {
  BudgetRange range;
  const Budget larger = Budget(100, &range).atLeast(150);
  EXPECT_EQ(larger.bytes(), 150);
  EXPECT_FALSE(larger.fits(160));
  EXPECT_TRUE(larger.fits(120));
  EXPECT_EQ(range.end, 150);
  EXPECT_FALSE(range.contains(150));
  EXPECT_TRUE(range.contains(0));
  EXPECT_EQ(Budget(100, &range).atLeast(70).bytes(), 100);
  EXPECT_EQ(range.least, 70);
}

TEST(BudgetRange, OfStallsThatAreFilled) { expectTrueRanges(fillStalls); }

TEST(BudgetRange, OfCollectivesThatAreIssuedEarly) {
  expectTrueRanges([](const Problem &problem, const Schedule &schedule, Budget budget) {
    return issueEarly(problem, schedule, {budget});
  });
}

TEST(BudgetRange, OfWaitsThatAreDelayed) { expectTrueRanges(delayWaits); }

TEST(BudgetRange, OfBucketsThatAreRebalanced) {
  expectTrueRanges([](const Problem &problem, const Schedule &schedule, Budget budget) {
    return rebalance(problem, schedule, {budget, 12});
  });
}

TEST(BudgetRange, OfAScheduleThatIsMadeRobust) {
  expectTrueRanges([](const Problem &problem, const Schedule &schedule, Budget budget) {
    return robust(problem, schedule, {budget});
  });
}
