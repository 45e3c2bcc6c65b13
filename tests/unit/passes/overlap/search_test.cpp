// Compares the search with every possible order, on random small training steps.
#include "schedule/overlap/low_memory_order.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/robust_schedule.h"
#include "schedule/overlap/search.h"
#include "schedule/overlap/trial_record.h"
#include "schedule/pass_search.h"
#include "unit/passes/overlap/exact_schedule.h"
#include "unit/passes/overlap/problem_text.h"
#include "unit/passes/overlap/random_problem.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

struct Tally {
  unsigned tried = 0;
  unsigned optimal = 0;
  /// the original order is 5 % or more from the optimum, or over the budget
  unsigned farAtFirst = 0;
  unsigned notFound = 0;
  double worst = 1;
};

/// Checks one program under one budget that some order meets: the invariants, and the distance of the search from the
/// optimum.
void check(const Problem &problem, int64_t budget, const SearchOptions &options, Tally &tally) {
  std::optional<int64_t> optimum = exactSchedule(problem, budget);
  if (!optimum)
    return;
  Replay before = replay(problem, asItStands(problem));
  Schedule found = search(problem, options);
  Replay after = replay(problem, found);
  EXPECT_EQ(found.order.back(), problem.steps.size() - 1) << "what returns the outputs is last";
  EXPECT_EQ(after.total, found.picoseconds);
  EXPECT_EQ(after.peakBytes, found.peakBytes);
  ++tally.tried;
  tally.farAtFirst += before.peakBytes > budget || 20 * before.total >= 21 * *optimum;
  if (after.peakBytes > budget) {
    ++tally.notFound;
    return;
  }
  EXPECT_GE(after.total, *optimum) << "faster than all orders";
  if (before.peakBytes <= budget) {
    EXPECT_LE(after.total, before.total) << "slower than what was there";
  }
  tally.optimal += after.total == *optimum;
  tally.worst = std::max(tally.worst, static_cast<double>(after.total) / static_cast<double>(*optimum));
}

Tally tallyOf(unsigned percentOfPeak, unsigned programs, unsigned walks, size_t beamWidth) {
  constexpr size_t maxSteps = 18;
  Tally tally;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    Problem problem = randomProblem(seed, 3 + seed % 4);
    if (problem.steps.size() > maxSteps)
      continue;
    int64_t budget = replay(problem, asItStands(problem)).peakBytes * percentOfPeak / 100;
    check(problem, budget, {budget, walks, beamWidth}, tally);
  }
  std::printf("| %u %% | %u | %u | %u | %u | %.3f |\n", percentOfPeak, tally.tried, tally.farAtFirst, tally.optimal,
              tally.notFound, tally.worst);
  return tally;
}

} // namespace

TEST(SearchAgainstAllOrders, FindsTheOptimumOfSmallPrograms) {
  for (unsigned percent : {100, 90, 80, 70, 60}) {
    Tally tally = tallyOf(percent, 2000, 200, 512);
    EXPECT_GE(100 * tally.optimal, 95 * tally.tried) << "at " << percent << " % of the peak";
    EXPECT_GE(2 * tally.farAtFirst, tally.tried) << "the programs are too easy";
  }
}

TEST(SearchAgainstAllOrders, WalksAloneAreNeverWorseThanWhatWasThere) {
  Tally tally = tallyOf(100, 2000, 16, 0);
  EXPECT_EQ(tally.notFound, 0U);
  EXPECT_GE(tally.tried, 1500U);
}

TEST(Search, WhatTheProgramReturnsStaysTheLastStep) {
  NamedProblem named = problemOf("p input 0\n"
                                 "g launch 10 needs p\n"
                                 "w wait completes g\n"
                                 "a compute 5 needs p\n"
                                 "d compute 7 needs a\n"
                                 "o compute 0 needs w\n");
  for (size_t beamWidth : {0, 64}) {
    Schedule found = search(named.problem, {unlimited, 16, beamWidth});
    EXPECT_EQ(found.order.back(), named.problem.steps.size() - 1) << named.str(found.order);
    EXPECT_EQ(found.order.size(), named.problem.steps.size());
  }
}

/// The program with all launches of a stream of one kind, so that buckets can be made.
Problem mergeable(Problem problem) {
  for (Step &step : problem.steps)
    if (step.kind == StepKind::Launch)
      step.mergeKey = step.stream;
  return problem;
}

Problem mergeableProblem(uint64_t seed) {
  constexpr unsigned links = 8;
  return mergeable(randomProblem(seed, links));
}

/// Returns a program that several threads search.
Problem longProblem(uint64_t seed) {
  constexpr size_t manyTasks = 400;
  return mergeable(randomProblem(seed, manyTasks, manyTasks));
}

/// Returns random budgets in ascending order, from the least memory that is known to do to three times the peak.
std::vector<int64_t> randomBudgets(int64_t least, int64_t peak, uint64_t seed) {
  constexpr size_t count = 12;
  std::mt19937_64 random(seed);
  std::vector<int64_t> budgets = {least, peak, unlimited};
  while (budgets.size() < count)
    budgets.push_back(least + static_cast<int64_t>(random() % static_cast<uint64_t>(3 * peak - least + 1)));
  llvm::sort(budgets);
  return budgets;
}

/// Makes the bytes of the problem large numbers without a common divisor, so that no budget is a limit by chance.
Problem withLargeStorages(Problem problem) {
  constexpr int64_t megabytes = 1'000'003;
  for (size_t id = 0; id < problem.storages.size(); ++id)
    problem.storages[id].bytes *= megabytes + static_cast<int64_t>(id);
  return problem;
}

// A search under each budget alone once gave slower steps with more memory.
TEST(Search, MoreMemoryIsNeverSlower) {
  constexpr unsigned programs = 300;
  unsigned gained = 0;
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    Problem problem = withLargeStorages(mergeableProblem(seed));
    int64_t fastest = unlimited, first = unlimited;
    int64_t peak = replay(problem, asItStands(problem)).peakBytes;
    for (int64_t budget : randomBudgets(lowMemoryOrder(problem).peak, peak, seed)) {
      Schedule found = search(problem, {budget, 8, seed % 3 == 0 ? size_t{64} : 0});
      EXPECT_LE(found.peakBytes, budget) << "seed " << seed;
      EXPECT_LE(found.picoseconds, fastest) << "seed " << seed << ", budget " << budget << ", peak " << peak;
      EXPECT_EQ(replay(problem, found).total, found.picoseconds);
      if (first == unlimited)
        first = found.picoseconds;
      fastest = std::min(fastest, found.picoseconds);
    }
    gained += fastest < first;
  }
  EXPECT_GE(gained, programs / 4) << "more memory seldom helps these programs";
}

// The fastest schedule may be found under a limit below the budget. If only `sink-waits` used the rest of the memory,
// it could gain more after a shorter search, and -O3 would be slower than -O2.
TEST(SearchSchedule, DelaysWaitsAsFarAsTheBudgetAllows) {
  unsigned gained = 0;
  for (uint64_t seed : {69, 98}) {
    Problem problem = withLargeStorages(mergeableProblem(seed));
    const int64_t budget = replay(problem, asItStands(problem)).peakBytes * 120 / 100;
    Schedule within = search(problem, {budget});
    Schedule whole = ccgraph::searchSchedule(problem, {budget});
    EXPECT_LE(whole.peakBytes, budget) << "seed " << seed;
    EXPECT_EQ(robust(problem, whole, {budget, 0}).picoseconds, whole.picoseconds) << "seed " << seed;
    gained += whole.picoseconds < within.picoseconds;
  }
  EXPECT_EQ(gained, 2U) << "these programs show nothing if the search uses the whole budget itself";
}

TEST(Search, IsDeterministic) {
  Problem problem = randomProblem(7, 6);
  Schedule first = search(problem, {unlimited, 16, 64});
  Schedule second = search(problem, {unlimited, 16, 64});
  EXPECT_EQ(first.order, second.order);
}

// Threads improve what the trial schedules of each limit found, and end in any order.
TEST(Search, FindsTheSameWithSeveralThreads) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const Problem problem = withLargeStorages(longProblem(seed));
    ASSERT_GE(problem.steps.size(), 256U) << "one thread searches such a program";
    SearchOptions options{.budget = replay(problem, asItStands(problem)).peakBytes * 2, .maxWalks = 40};
    TrialRecord trials, others;
    const std::vector<BudgetResult> alone = searchByBudget(problem, options, trials);
    options.threads = 4;
    const std::vector<BudgetResult> together = searchByBudget(problem, options, others);
    ASSERT_EQ(together.size(), alone.size());
    EXPECT_GT(alone.size(), 1U) << "one limit needs no threads";
    for (size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(together[i].budget, alone[i].budget);
      EXPECT_EQ(together[i].isDelayed, alone[i].isDelayed);
      EXPECT_EQ(together[i].schedule.order, alone[i].schedule.order) << "seed " << seed;
      EXPECT_EQ(together[i].schedule.buckets, alone[i].schedule.buckets) << "seed " << seed;
    }
  }
}

TEST(EffectiveOptions, HaveNoBeamForALargeProgram) {
  const SearchOptions options{.maxWalks = 40, .beamWidth = 512};
  EXPECT_EQ(effectiveOptions(randomProblem(1, 3), options).beamWidth, 512U);
  EXPECT_EQ(effectiveOptions(longProblem(1), options).beamWidth, 0U);
  EXPECT_EQ(effectiveOptions(longProblem(1), options).maxWalks, 40U);
}

TEST(AffordableWalks, AreFewerForLargePrograms) {
  EXPECT_EQ(affordableWalks(9'000, 200), 200U);
  EXPECT_EQ(affordableWalks(9'001, 200), 199U);
  EXPECT_EQ(affordableWalks(36'000, 200), 50U);
  EXPECT_EQ(affordableWalks(105'882, 200), 17U);
  EXPECT_EQ(affordableWalks(105'883, 200), 16U);
  EXPECT_EQ(affordableWalks(10'000'000, 200), 16U);
}

TEST(AffordableWalks, AreNeverMoreThanAskedFor) {
  EXPECT_EQ(affordableWalks(0, 200), 200U);
  EXPECT_EQ(affordableWalks(36'000, 16), 16U);
  EXPECT_EQ(affordableWalks(36'000, 50), 50U);
  EXPECT_EQ(affordableWalks(36'000, 1), 1U);
  EXPECT_EQ(affordableWalks(10'000'000, 0), 0U);
}

namespace {

/// Returns four gathers of one key, each with its wait and computation, and `more` computing steps that follow one
/// another.
Problem gathersAndMore(unsigned more) {
  std::string text;
  for (llvm::StringRef number : {"0", "1", "2", "3"})
    text += ("g" + number + " launch 10 bytes 64 stream 0 key 0 makes 16\nw" + number + " wait completes g" + number +
             "\nc" + number + " compute 20 needs w" + number + " holds g" + number + "\n")
                .str();
  Problem problem = problemOf(text).problem;
  for (unsigned i = 0; i < more; ++i) {
    const auto last = static_cast<uint32_t>(problem.steps.size() - 1);
    problem.steps.push_back({.kind = StepKind::Compute, .picoseconds = 1});
    problem.before.append(last);
    problem.completes.endList();
    problem.holds.endList();
  }
  return problem;
}

/// Returns how often a search needs the time of a bucket, which each trial schedule with a bucket does.
unsigned bucketsPriced(Problem problem, unsigned walks) {
  unsigned count = 0;
  problem.estimatedTime = [&count, price = problem.estimatedTime](uint32_t launch, int64_t bytes) {
    ++count;
    return price(launch, bytes);
  };
  (void)search(problem, {unlimited, walks});
  return count;
}

} // namespace

TEST(AffordableWalks, BoundTheSearchOfALargeProgram) {
  const Problem small = gathersAndMore(100), large = gathersAndMore(120'000);
  EXPECT_GT(bucketsPriced(small, 60), bucketsPriced(small, 16)) << "16 trial schedules leave nothing to try";
  EXPECT_EQ(bucketsPriced(large, 60), bucketsPriced(large, 16));
}
