// Tests lower bounds: hand-written cases, and the best of all orders of random small programs.
#include "schedule/overlap/before_after.h"
#include "schedule/overlap/bound.h"
#include "schedule/overlap/bucket_limits.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/search.h"
#include "schedule/overlap/step_set.h"
#include "unit/passes/overlap/exact_schedule.h"
#include "unit/passes/overlap/problem_text.h"
#include "unit/passes/overlap/random_problem.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstdio>

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

std::vector<Moments> timesOf(const Problem &problem) {
  std::vector<Moments> times;
  for (const Step &step : problem.steps)
    times.push_back({step.picoseconds, step.picoseconds});
  return times;
}

int64_t earliestOf(const Problem &problem, uint32_t step) {
  return earliest(problem, timesOf(problem))[step][Unmerged];
}

} // namespace

TEST(Bound, CountsWhatMustStandBeforeAndAfterATransfer) {
  NamedProblem named = problemOf("a compute 10\n"
                                 "g launch 30 needs a\n"
                                 "w wait completes g\n"
                                 "b compute 5 needs w\n"
                                 "c compute 3\n");
  Bound bound = lowerBounds(named.problem).anyOrder;
  EXPECT_EQ(bound.picoseconds, 45);
  EXPECT_EQ(bound.stream, 0U);
}

TEST(Bound, ComputationThatAStepNeedsIsOneStream) {
  // a and b do not depend on each other, and both precede the launch.
  NamedProblem named = problemOf("a compute 10\n"
                                 "b compute 20\n"
                                 "g launch 30 needs a needs b\n"
                                 "w wait completes g\n"
                                 "c compute 4 needs w\n"
                                 "d compute 6 needs w\n");
  EXPECT_EQ(earliestOf(named.problem, 2), 30);
  EXPECT_EQ(remaining(named.problem, timesOf(named.problem))[3][Unmerged], 10);
  EXPECT_EQ(lowerBounds(named.problem).anyOrder.picoseconds, 70);
}

TEST(Bound, ComputationAfterAWaitThatAStepNeedsComesOnTop) {
  NamedProblem named = problemOf("g launch 30\n"
                                 "w wait completes g\n"
                                 "a compute 10 needs w\n"
                                 "b compute 20 needs w\n"
                                 "c compute 1 needs a needs b\n");
  EXPECT_EQ(earliestOf(named.problem, 4), 60);
}

TEST(Bound, WhatIsIssuedFirstNeedNotBeDone) {
  NamedProblem named = problemOf("g launch 30\n"
                                 "h launch 5 stream 1 needs g\n"
                                 "w wait completes g\n"
                                 "v wait completes h\n");
  EXPECT_EQ(earliestOf(named.problem, 1), 0);
  EXPECT_EQ(lowerBounds(named.problem).anyOrder.picoseconds, 30);
}

TEST(Bound, MergingSavesWhatEachTransferCostsMore) {
  NamedProblem named = problemOf("g launch 13 bytes 8 key 0\n"
                                 "h launch 13 bytes 8 key 0\n"
                                 "i launch 13 bytes 8\n"
                                 "w wait completes g\n"
                                 "x wait completes h\n"
                                 "y wait completes i\n");
  EXPECT_EQ(lowerBounds(named.problem).anyOrder.picoseconds, 39);
  // 16 bytes take 21 picoseconds, half of which is 10 and a half; the third has no partner.
  EXPECT_EQ(lowerBounds(named.problem).anyMerging.picoseconds, 10 + 10 + 13);
}

TEST(Bound, WhatNeedsOneAnotherByWayOfComputationNeverMerges) {
  // g and i, with one key, could merge, and so could h and i; but h depends on a, which depends on g.
  const char *text = "g launch 13 bytes 8 key 0\n"
                     "w wait completes g\n"
                     "a compute 1 needs w\n"
                     "h launch 13 bytes 8 key 0 needs a\n"
                     "x wait completes h\n"
                     "i launch 13 bytes 8 key 0\n"
                     "y wait completes i\n";
  EXPECT_EQ(largestBuckets(problemOf(text).problem), (std::vector<int64_t>{16, 0, 0, 16, 0, 24, 0}));
}

TEST(Bound, WhatNeedsOneAnotherAtOnceMayMerge) {
  NamedProblem named = problemOf("g launch 13 bytes 8 key 0\n"
                                 "h launch 13 bytes 8 key 0 needs g\n"
                                 "w wait completes g\n"
                                 "x wait completes h\n");
  EXPECT_EQ(largestBuckets(named.problem), (std::vector<int64_t>{16, 16, 0, 0}));
}

TEST(Bound, AChainOfExchangesTakesItsOwnTime) {
  NamedProblem named = problemOf("g launch 13 bytes 8 key 0\n"
                                 "w wait completes g\n"
                                 "a compute 1 needs w\n"
                                 "h launch 13 bytes 8 key 0 needs a\n"
                                 "x wait completes h\n");
  EXPECT_EQ(lowerBounds(named.problem).anyMerging.picoseconds, 27);
}

/// Six gathers of 8 bytes. Collectives of 8, 24 and 64 bytes were measured; time grows evenly between these.
TEST(Bound, TheBestRateMayBeThatOfAMeasuredSize) {
  std::string text;
  for (char name : {'a', 'b', 'c', 'd', 'e', 'f'})
    text += llvm::formatv("{0} launch 13 bytes 8 key 0\n", name).str();
  for (char name : {'a', 'b', 'c', 'd', 'e', 'f'})
    text += llvm::formatv("w{0} wait completes {0}\n", name).str();
  NamedProblem named = problemOf(text);
  named.problem.estimatedTime = [](uint32_t, int64_t bytes) -> int64_t {
    return bytes <= 8 ? 13 : bytes <= 24 ? 13 + (bytes - 8) * 7 / 16 : 20 + (bytes - 24) * 9 / 2;
  };
  constexpr int64_t twoBuckets = 40;
  EXPECT_GT(lowerBounds(named.problem).anyMerging.picoseconds, twoBuckets) << "powers of two suffice here";
  named.problem.timePieces = [](uint32_t) { return std::vector<int64_t>{8, 24, 64}; };
  EXPECT_LE(lowerBounds(named.problem).anyMerging.picoseconds, twoBuckets);
}

TEST(StepSet, WhatIsOldCountsOnceAndNeverTooMuch) {
  VisitedSteps visited;
  StepSet all, even;
  constexpr uint32_t steps = 5000;
  for (uint32_t step = 0; step < steps; ++step) {
    uint32_t number = visited.add(1);
    visited.insert(all, number);
    if (step % 2 == 0)
      visited.insert(even, number);
  }
  EXPECT_EQ(all.picoseconds(), steps);
  EXPECT_EQ(even.picoseconds(), steps / 2);
  int64_t both = visited.shared(all, even), odd = visited.difference(all, even).picoseconds();
  EXPECT_GT(both, 0);
  EXPECT_LE(both, steps / 2);
  EXPECT_GT(odd, 0);
  EXPECT_LE(odd, steps / 2);
  visited.unite(even, all);
  EXPECT_GE(even.picoseconds(), steps / 2 + odd);
  EXPECT_LE(even.picoseconds(), steps);
}

namespace {

/// Lets all collectives of a stream merge into one; a bucket costs 3 picoseconds and one for each byte.
void allowAllMerging(Problem &problem) {
  problem.estimatedTime = [](uint32_t, int64_t bytes) { return 3 + bytes; };
  for (uint32_t step = 0; step < problem.steps.size(); ++step)
    if (Step &it = problem.steps[step]; it.kind == StepKind::Launch) {
      it.bytes = it.picoseconds;
      it.picoseconds = problem.estimatedTime(step, it.bytes);
      it.mergeKey = it.stream;
    }
}

} // namespace

TEST(BoundAgainstAllOrders, IsNeverAboveTheOptimum) {
  unsigned tried = 0, met = 0;
  double worst = 1;
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    Problem problem = randomProblem(seed, 3 + seed % 4);
    std::optional<int64_t> optimum = exactSchedule(problem, unlimited);
    if (!optimum)
      continue;
    int64_t bound = lowerBounds(problem).anyOrder.picoseconds;
    ASSERT_LE(bound, *optimum) << "seed " << seed;
    ++tried;
    met += bound == *optimum;
    worst = std::max(worst, static_cast<double>(*optimum) / static_cast<double>(bound));
  }
  std::printf("%u programs: the bound is the optimum in %u, at worst the optimum is %.3f times the bound\n", tried, met,
              worst);
  EXPECT_GE(tried, 1500U);
  EXPECT_GE(2 * met, tried);
}

TEST(BoundAgainstAllOrders, NoScheduleWithBucketsIsBelow) {
  unsigned below = 0;
  for (unsigned seed = 1; seed <= 500; ++seed) {
    Problem problem = randomProblem(seed, 3 + seed % 4);
    allowAllMerging(problem);
    Bounds bounds = lowerBounds(problem);
    int64_t withMerging = bounds.anyMerging.picoseconds;
    ASSERT_LE(withMerging, search(problem, {unlimited, 16, 64}).picoseconds) << "seed " << seed;
    below += withMerging < bounds.anyOrder.picoseconds;
  }
  EXPECT_GT(below, 0U);
}
