// Tests that buckets are divided in another way where that makes the step shorter, and only there.
#include "schedule/overlap/exchange_transfers.h"
#include "schedule/overlap/rebalance.h"
#include "schedule/overlap/replay.h"
#include "unit/passes/overlap/problem_text.h"
#include "unit/passes/overlap/sound_schedule.h"

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

constexpr unsigned programs = 2000;

/// Returns the schedule of the program as it stands with these buckets.
Schedule withBuckets(const NamedProblem &named, std::vector<std::vector<uint32_t>> buckets) {
  Schedule schedule = asItStands(named.problem);
  schedule.buckets = std::move(buckets);
  return measured(named.problem, std::move(schedule));
}

std::string bucketsOf(const NamedProblem &named, const Schedule &schedule) {
  std::string text;
  for (const std::vector<uint32_t> &bucket : schedule.buckets)
    text += "[" + named.str(bucket) + "]";
  return text;
}

std::optional<Schedule> exchanged(const NamedProblem &named, const Schedule &schedule, llvm::ArrayRef<Transfer> added) {
  return exchangeTransfers(named.problem, named.problem.before.inverse(named.problem.steps.size()), schedule, added);
}

} // namespace

TEST(ExchangeTransfers, WhatALaunchNeedsMovesWithIt) {
  NamedProblem named = problemOf("x input 0\n"           // 0
                                 "c compute 1 needs x\n" // 1
                                 "g launch 5 bytes 1 key 0 needs c\n"
                                 "w wait completes g\n"
                                 "r compute 9 needs w\n"
                                 "v view needs x\n"
                                 "d compute 1 needs v\n"
                                 "h launch 5 bytes 1 key 0 needs d\n" // 7
                                 "y wait completes h\n"
                                 "s compute 1 needs y needs r\n");
  std::optional<Schedule> joined = exchanged(named, asItStands(named.problem), {{2, 7}});
  ASSERT_TRUE(joined);
  EXPECT_EQ(named.str(joined->order), "x c v d g h w r y s");
  EXPECT_EQ(bucketsOf(named, *joined), "[g h]");
}

TEST(ExchangeTransfers, ALaunchThatNeedsTheOtherOneStaysApart) {
  NamedProblem named = problemOf("x input 0\n"
                                 "g launch 5 bytes 1 key 0 needs x\n"
                                 "w wait completes g\n"
                                 "d compute 1 needs w\n"
                                 "h launch 5 bytes 1 key 0 needs d\n"
                                 "y wait completes h\n"
                                 "s compute 1 needs y\n");
  EXPECT_FALSE(exchanged(named, asItStands(named.problem), {{1, 4}}));
  NamedProblem ordered = problemOf("x input 0\n"
                                   "g launch 5 bytes 1 key 0 needs x\n"
                                   "h launch 5 bytes 1 key 0 needs x needs g\n"
                                   "w wait completes g\n"
                                   "y wait completes h\n"
                                   "s compute 1 needs y needs w\n");
  EXPECT_FALSE(exchanged(ordered, asItStands(ordered.problem), {{1, 2}}));
}

TEST(ExchangeTransfers, PartsOfABucketAreApart) {
  NamedProblem named = problemOf("x input 0\n"
                                 "g launch 5 bytes 1 key 0 needs x\n"
                                 "h launch 5 bytes 1 key 0 needs x\n"
                                 "i launch 5 bytes 1 key 0 needs x\n"
                                 "w wait completes g\n"
                                 "y wait completes h\n"
                                 "z wait completes i\n"
                                 "s compute 1 needs w needs y needs z\n");
  std::optional<Schedule> parts = exchanged(named, withBuckets(named, {{1, 2, 3}}), {{1}, {2, 3}});
  ASSERT_TRUE(parts);
  EXPECT_EQ(named.str(parts->order), "x g h i w y z s");
  EXPECT_EQ(bucketsOf(named, *parts), "[h i]");
}

TEST(Rebalance, ALaunchThatNobodyAwaitsGoesToTheNextBucket) {
  NamedProblem named = problemOf("x input 0\n"
                                 "f launch 105 bytes 100 key 0 needs x\n"
                                 "g launch 105 bytes 100 key 0 needs x\n"
                                 "h launch 105 bytes 100 key 0 needs x\n"
                                 "u wait completes f\n"
                                 "a compute 210 needs u\n"
                                 "v wait completes g\n"
                                 "w wait completes h\n"
                                 "b compute 100 needs v needs w needs a\n");
  Schedule given = withBuckets(named, {{1, 2}});
  EXPECT_EQ(given.picoseconds, 515);
  Schedule result = rebalance(named.problem, given, {unlimited, 20});
  EXPECT_EQ(bucketsOf(named, result), "[g h]");
  EXPECT_EQ(result.picoseconds, 415);
}

TEST(Rebalance, TheLastBucketGivesItsFirstLaunchesAway) {
  NamedProblem named = problemOf("x input 0\n"
                                 "a compute 100 needs x\n"
                                 "b compute 100 needs a\n"
                                 "c compute 100 needs b\n"
                                 "f launch 55 bytes 50 key 0 needs a\n"
                                 "g launch 55 bytes 50 key 0 needs b\n"
                                 "h launch 55 bytes 50 key 0 needs c\n"
                                 "u wait completes f\n"
                                 "v wait completes g\n"
                                 "w wait completes h\n");
  Schedule given = withBuckets(named, {{5, 6}});
  EXPECT_EQ(given.picoseconds, 460);
  Schedule result = rebalance(named.problem, given, {unlimited, 20});
  EXPECT_EQ(result.picoseconds, 355);
  EXPECT_EQ(bucketsOf(named, result), "");
}

// The latencies of the collectives before the last one delay it.
TEST(Rebalance, BucketsBeforeAnExposedCollectiveAreJoined) {
  std::string launches = "x input 0\n", readers, before = "x";
  for (std::string name : {"d", "e", "f", "g", "h", "i", "j", "k"}) {
    launches += name + " launch 35 bytes 30 key 0 needs x\n";
    readers +=
        name + "w wait completes " + name + "\n" + name + "r compute 5 needs " + name + "w needs " + before + "\n";
    before = name + "r";
  }
  NamedProblem named = problemOf(launches + readers);
  Schedule given = withBuckets(named, {});
  EXPECT_EQ(given.picoseconds, 285);
  Schedule result = rebalance(named.problem, given, {unlimited, 30});
  EXPECT_EQ(bucketsOf(named, result), "[d e f g h i j]");
  EXPECT_EQ(result.picoseconds, 255);
}

TEST(Rebalance, WithoutTriesNothingChanges) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    auto [problem, schedule, budget] = found(seed);
    schedule = measured(problem, std::move(schedule));
    Schedule result = rebalance(problem, schedule, {budget, 0});
    EXPECT_EQ(result.order, schedule.order);
    EXPECT_EQ(result.buckets, schedule.buckets);
  }
}

TEST(Rebalance, IsLegalNotSlowerAndWithinTheBudget) {
  unsigned shorter = 0;
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    auto [problem, schedule, budget] = found(seed);
    SCOPED_TRACE(seed);
    schedule = measured(problem, std::move(schedule));
    Schedule result = rebalance(problem, schedule, {budget, 12});
    expectLegal(problem, result);
    Replay now = replay(problem, result);
    EXPECT_EQ(result.picoseconds, now.total);
    EXPECT_EQ(result.peakBytes, now.peakBytes);
    EXPECT_LE(result.picoseconds, schedule.picoseconds);
    EXPECT_LE(result.peakBytes, std::max(budget, schedule.peakBytes));
    shorter += result.picoseconds < schedule.picoseconds;
    for (const std::vector<uint32_t> &bucket : result.buckets)
      for (uint32_t launch : bucket)
        EXPECT_EQ(problem.steps[launch].mergeKey, problem.steps[bucket.front()].mergeKey);
  }
  EXPECT_GE(shorter, programs / 20);
}
