// Tests the bounds within a memory budget: by hand, against all orders of small programs, and against searches with
// buckets.
#include "schedule/overlap/budget_bound.h"
#include "schedule/overlap/memory_windows.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/search.h"
#include "unit/passes/overlap/exact_schedule.h"
#include "unit/passes/overlap/problem_text.h"
#include "unit/passes/overlap/random_problem.h"

#include <gtest/gtest.h>

#include <cstdio>

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

/// A gather that c reads, and computation with a large temporary value before c.
constexpr const char *gatherBehindPeak = R"(x input 0 makes 1
g launch 40 bytes 4 makes 4 needs x
a compute 30 makes 8 needs x
b compute 10 makes 1 needs a
w wait completes g holds g
c compute 10 makes 1 needs b needs w holds g
o compute 0 needs c
)";

std::optional<Bounds> boundsUnder(const Problem &problem, int64_t budget) {
  return lowerBoundsUnder(problem, jobTimes(problem), budget);
}

struct Tally {
  unsigned tried = 0, sharper = 0, met = 0, refused = 0;
};

void compareWithAllOrders(const Problem &problem, int64_t budget, Tally &tally) {
  std::optional<int64_t> optimum = exactSchedule(problem, budget);
  std::optional<Bounds> bounds = boundsUnder(problem, budget);
  if (!bounds) {
    EXPECT_FALSE(optimum) << "an order fits the budget";
    ++tally.refused;
  }
  if (!bounds || !optimum)
    return;
  const int64_t free = lowerBounds(problem).anyOrder.picoseconds, within = bounds->anyOrder.picoseconds;
  EXPECT_LE(within, *optimum);
  EXPECT_GE(within, free);
  ++tally.tried;
  tally.sharper += within > free;
  tally.met += within == *optimum;
}

} // namespace

TEST(MemoryWindows, AStepThatDoesNotFitBeforeTheChainStepComesAfterIt) {
  NamedProblem named = problemOf(gatherBehindPeak);
  MemoryWindows windows(named.problem, 12);
  ASSERT_TRUE(windows.isFeasible());
  EXPECT_EQ(named.str(windows.chain()), "x a b c o");
  EXPECT_EQ(windows.after(1), 2) << "8 bytes of a, 1 of x, 1 of b and 4 of g are more than 12";
  EXPECT_TRUE(llvm::is_contained(windows.edges(), StepPair(3, 1)));
  EXPECT_TRUE(MemoryWindows(named.problem, 14).edges().empty());
  EXPECT_FALSE(MemoryWindows(named.problem, 9).isFeasible());
}

TEST(BudgetBound, ACollectiveThatMustWaitForMemoryIsExposed) {
  NamedProblem named = problemOf(gatherBehindPeak);
  EXPECT_EQ(boundsUnder(named.problem, 14)->anyOrder.picoseconds, 50);
  EXPECT_EQ(boundsUnder(named.problem, 12)->anyOrder.picoseconds, 30 + 10 + 40 + 10);
  EXPECT_FALSE(boundsUnder(named.problem, 9));
}

// Each of the two gathers fits beside a, and both together do not.
TEST(BudgetBound, OnlySomeCollectivesFitBeforeTheChainStep) {
  NamedProblem named = problemOf(R"(x input 0 makes 1
a compute 50 makes 8 needs x
b compute 10 makes 1 needs a
g launch 40 bytes 4 makes 4 needs x
h launch 40 bytes 4 makes 4 needs x
v wait completes g holds g
w wait completes h holds h
c compute 10 makes 1 needs b needs v needs w holds g holds h
o compute 0 needs c
)");
  EXPECT_EQ(boundsUnder(named.problem, 18)->anyOrder.picoseconds, 90);
  EXPECT_EQ(boundsUnder(named.problem, 15)->anyOrder.picoseconds, 50 + 10 + 40 + 10);
  EXPECT_EQ(exactSchedule(named.problem, 15), 110);
}

TEST(BudgetBound, IsNeverAboveTheOptimum) {
  for (int64_t percent : {100, 90, 80, 70, 60}) {
    Tally tally;
    for (unsigned seed = 1; seed <= 1500; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Problem problem = randomProblem(seed, 3 + seed % 4);
      if (problem.steps.size() > 18)
        continue;
      compareWithAllOrders(problem, replay(problem, asItStands(problem)).peakBytes * percent / 100, tally);
    }
    std::printf("| %lld %% | %u programs | %u sharper | %u optimal | %u refused |\n", static_cast<long long>(percent),
                tally.tried, tally.sharper, tally.met, tally.refused);
    EXPECT_GT(tally.sharper + tally.refused, 0U);
  }
}

TEST(BudgetBound, NoScheduleWithBucketsIsBelow) {
  unsigned sharper = 0;
  for (unsigned seed = 1; seed <= 500; ++seed) {
    Problem problem = randomProblem(seed, 3 + seed % 4);
    for (Step &step : problem.steps)
      if (step.kind == StepKind::Launch)
        step.mergeKey = step.stream;
    for (int64_t percent : {100, 85}) {
      const int64_t budget = replay(problem, asItStands(problem)).peakBytes * percent / 100;
      Schedule found = search(problem, {budget, 16, 64});
      std::optional<Bounds> bounds = boundsUnder(problem, budget);
      if (found.peakBytes > budget)
        continue;
      ASSERT_TRUE(bounds) << "seed " << seed;
      ASSERT_LE(bounds->anyMerging.picoseconds, found.picoseconds) << "seed " << seed;
      sharper += bounds->anyMerging.picoseconds > lowerBounds(problem).anyMerging.picoseconds;
    }
  }
  EXPECT_GT(sharper, 0U);
}
