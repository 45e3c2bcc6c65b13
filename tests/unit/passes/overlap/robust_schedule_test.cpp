// Tests the improvements of a finished schedule: computation moves into stalls, collectives are issued earlier, waits
// are delayed, buckets are split. None of them may break an order or a budget, and only the first may delay any moment.
#include "schedule/overlap/delay_waits.h"
#include "schedule/overlap/fill_stalls.h"
#include "schedule/overlap/issue_early.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/robust_schedule.h"
#include "unit/passes/overlap/problem_text.h"
#include "unit/passes/overlap/sound_schedule.h"

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

constexpr unsigned programs = 2000;

std::vector<uint32_t> launchesOn(const Problem &problem, const Schedule &schedule, uint32_t stream) {
  std::vector<uint32_t> launches;
  for (uint32_t step : schedule.order)
    if (problem.steps[step].kind == StepKind::Launch && problem.steps[step].stream == stream)
      launches.push_back(step);
  return launches;
}

/// Checks that no moment of computation, and no end of a collective, is later, for any speed of links.
void expectNothingLater(const Problem &problem, const Schedule &before, const Schedule &after) {
  for (LinkTime time : {LinkTime{1, 1}, LinkTime{2, 1}, LinkTime{1, 2}, LinkTime{7, 1}}) {
    Replay then = replayTimes(problem, before, time), now = replayTimes(problem, after, time);
    EXPECT_LE(now.total, then.total);
    for (uint32_t step = 0; step < problem.steps.size(); ++step) {
      if (problem.steps[step].kind == StepKind::Compute) {
        EXPECT_LE(now.at[step], then.at[step]);
      }
      EXPECT_LE(now.end[step], then.end[step]);
    }
  }
  for (uint32_t stream = 0; stream < problem.streams; ++stream)
    EXPECT_EQ(launchesOn(problem, after, stream), launchesOn(problem, before, stream));
}

/// Checks that `move` changes a schedule within a budget without delaying any moment.
template <class Move>
void expectSound(Move move) {
  unsigned moved = 0;
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    auto [problem, schedule, budget] = found(seed);
    SCOPED_TRACE(seed);
    Schedule result = move(problem, schedule, budget);
    expectLegal(problem, result);
    expectNothingLater(problem, schedule, result);
    EXPECT_LE(peakWithBuckets(problem, result), budget);
    moved += result.order != schedule.order;
  }
  EXPECT_GE(moved, programs / 20);
}

} // namespace

TEST(FillStalls, WhatStandsLaterRunsWhileTheProgramWaits) {
  NamedProblem named = problemOf("x input 0\n"
                                 "a compute 10 needs x\n"
                                 "g launch 10 needs a\n"
                                 "w wait completes g\n"
                                 "b compute 10 needs w\n"
                                 "v view needs a\n"
                                 "long compute 11 needs a\n"
                                 "s compute 6 needs v\n"
                                 "t compute 5 needs s\n"
                                 "u compute 4 needs s\n"
                                 "c compute 1 needs b needs long needs t needs u\n");
  Schedule result = fillStalls(named.problem, asItStands(named.problem), unlimited);
  EXPECT_EQ(named.str(result.order), "x a g v s u w b long t c");
  EXPECT_EQ(replay(named.problem, result).total + 10, replay(named.problem, asItStands(named.problem)).total);
}

TEST(FillStalls, AStallKeepsAsMuchOfItsFillingAsFitsTheMemory) {
  NamedProblem named = problemOf("x input 0\n"
                                 "a compute 10 needs x makes 4\n"
                                 "g launch 10 needs a makes 1\n"
                                 "w wait completes g\n"
                                 "b compute 10 needs w makes 5\n"
                                 "s compute 4 needs a makes 2\n"
                                 "t compute 4 needs a makes 2\n"
                                 "c compute 1 needs b needs s needs t holds a\n");
  auto filled = [&](int64_t budget) {
    return named.str(fillStalls(named.problem, asItStands(named.problem), budget).order);
  };
  EXPECT_EQ(replay(named.problem, asItStands(named.problem)).peakBytes, 13);
  EXPECT_EQ(filled(13), "x a g s t w b c"); // at b: a, b and the value that was computed early
  EXPECT_EQ(filled(12), "x a g s w b t c");
  EXPECT_EQ(filled(10), "x a g w b s t c");
}

TEST(FillStalls, WhatReadsAValueLastGivesItsMemoryBack) {
  NamedProblem named = problemOf("x input 0\n"
                                 "a compute 10 needs x makes 8\n"
                                 "g launch 10 needs x makes 1\n"
                                 "w wait completes g\n"
                                 "b compute 10 needs w makes 8\n"
                                 "s compute 4 needs a makes 8\n"
                                 "c compute 1 needs b needs s\n");
  int64_t peak = replay(named.problem, asItStands(named.problem)).peakBytes;
  EXPECT_EQ(named.str(fillStalls(named.problem, asItStands(named.problem), peak).order), "x a g s w b c");
}

TEST(FillStalls, KeepsTheOrderOfTransfersAndTheBudget) {
  unsigned moved = 0;
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    auto [problem, schedule, budget] = found(seed);
    SCOPED_TRACE(seed);
    Schedule result = fillStalls(problem, schedule, budget);
    expectLegal(problem, result);
    EXPECT_LE(peakWithBuckets(problem, result), budget);
    for (uint32_t stream = 0; stream < problem.streams; ++stream)
      EXPECT_EQ(launchesOn(problem, result, stream), launchesOn(problem, schedule, stream));
    moved += result.order != schedule.order;
  }
  EXPECT_GE(moved, programs / 20);
}

TEST(IssueEarly, ATransferGoesRightBehindWhatItReads) {
  NamedProblem named = problemOf("x input 0\n"
                                 "a compute 10 needs x\n"
                                 "b compute 10 needs a\n"
                                 "g launch 5 needs a\n"
                                 "w wait completes g\n"
                                 "c compute 1 needs w needs b\n");
  Schedule result = issueEarly(named.problem, asItStands(named.problem), {});
  EXPECT_EQ(named.str(result.order), "x a g b w c");
}

TEST(IssueEarly, NotBeforeTheOneAheadOnItsStreamAndNotOverTheBudget) {
  NamedProblem named = problemOf("x input 0\n"
                                 "a compute 10 needs x\n"
                                 "g launch 5 needs a makes 3\n"
                                 "b compute 10 needs a makes 4\n"
                                 "h launch 5 needs x makes 7\n"
                                 "w wait completes g\n"
                                 "v wait completes h\n"
                                 "c compute 1 needs w needs v needs b\n");
  EXPECT_EQ(named.str(issueEarly(named.problem, asItStands(named.problem), {}).order), "x a g h b w v c");
  int64_t peak = replay(named.problem, asItStands(named.problem)).peakBytes;
  EXPECT_EQ(peak, 14);
  EXPECT_EQ(named.str(issueEarly(named.problem, asItStands(named.problem), {peak}).order), "x a g h b w v c");
  EXPECT_EQ(named.str(issueEarly(named.problem, asItStands(named.problem), {peak - 1}).order), "x a g b h w v c");
}

TEST(IssueEarly, ComputationThatOnlyALaunchNeedsMovesWithIt) {
  NamedProblem named = problemOf("x input 0\n"
                                 "a compute 10 needs x\n"
                                 "b compute 10 needs a\n"
                                 "c compute 1 needs x makes 2\n"
                                 "d compute 1 needs x makes 2\n"
                                 "g launch 16 needs c makes 4\n"
                                 "h launch 16 needs d makes 4\n"
                                 "w wait completes g\n"
                                 "y wait completes h\n"
                                 "e compute 1 needs w needs y needs b needs d\n");
  const NumberLists followers = named.problem.before.inverse(named.problem.steps.size());
  EXPECT_EQ(named.str(issueEarly(named.problem, asItStands(named.problem), {}).order), "x a b c g d h w y e");
  Schedule early = issueEarly(named.problem, asItStands(named.problem), {unlimited, {}, &followers});
  EXPECT_EQ(named.str(early.order), "x c g a b d h w y e"); // d has another reader
}

TEST(IssueEarly, ComputationMovesWithinTheBudgetAndBehindTheLaunchBefore) {
  NamedProblem named = problemOf("x input 0\n"
                                 "a compute 10 needs x makes 6\n"
                                 "b compute 10 needs a makes 1\n"
                                 "c compute 1 needs x makes 2\n"
                                 "d compute 1 needs x makes 2\n"
                                 "g launch 16 needs c makes 4\n"
                                 "h launch 16 needs d makes 4\n"
                                 "w wait completes g\n"
                                 "y wait completes h\n"
                                 "e compute 1 needs w needs y needs b\n");
  const NumberLists followers = named.problem.before.inverse(named.problem.steps.size());
  auto early = [&](int64_t budget) {
    return named.str(issueEarly(named.problem, asItStands(named.problem), {budget, {}, &followers}).order);
  };
  EXPECT_EQ(early(unlimited), "x c g d h a b w y e");
  EXPECT_EQ(early(19), "x c g d h a b w y e");
  EXPECT_EQ(early(18), "x c g a b d h w y e");
  EXPECT_EQ(early(13), "x c g a b d h w y e");
  EXPECT_EQ(early(12), "x a b c g d h w y e");
}

// The product of one gradient would otherwise precede the collective that was moved to the same position before.
TEST(IssueEarly, ComputationMovesBehindACollectiveThatMovedBefore) {
  NamedProblem named = problemOf("x input 0\n"
                                 "a compute 100 needs x\n"
                                 "b compute 100 needs a\n"
                                 "f launch 55 needs a\n"
                                 "g launch 55 needs b\n"
                                 "u wait completes f\n"
                                 "v wait completes g\n");
  const NumberLists followers = named.problem.before.inverse(named.problem.steps.size());
  Schedule early = issueEarly(named.problem, asItStands(named.problem), {unlimited, {}, &followers});
  EXPECT_EQ(named.str(early.order), "x a f b g u v");
}

TEST(DelayWaits, AWaitGoesInFrontOfItsReader) {
  NamedProblem named = problemOf("x input 0\n"
                                 "g launch 5 needs x\n"
                                 "w wait completes g\n"
                                 "v view needs w\n"
                                 "a compute 10 needs x\n"
                                 "c compute 1 needs v needs a\n");
  EXPECT_EQ(named.str(delayWaits(named.problem, asItStands(named.problem), unlimited).order), "x g a w v c");
}

// No computation runs between w and its reader, but h would start when g has completed.
TEST(DelayWaits, AWaitGoesBehindALaunchThatItWouldDelay) {
  NamedProblem named = problemOf(R"(x input 0 makes 1
g launch 100 stream 0 makes 4 needs x
w wait completes g
h launch 10 stream 1 makes 4 needs x
v wait completes h
c compute 20 needs v
o compute 0 needs w needs c
)");
  Schedule delayed = delayWaits(named.problem, asItStands(named.problem), unlimited);
  EXPECT_EQ(named.str(delayed.order), "x g h v c w o");
  EXPECT_EQ(timeOf(named.problem, asItStands(named.problem)), 130);
  EXPECT_EQ(timeOf(named.problem, delayed), 100);
}

TEST(DelayWaits, NothingComesBetweenMembersOfABucket) {
  NamedProblem named = problemOf("x input 0\n"
                                 "v view needs x\n"
                                 "a compute 10 needs x\n"
                                 "g launch 5 bytes 1 key 0 needs x\n"
                                 "h launch 5 bytes 1 key 0 needs v\n"
                                 "w wait completes g\n"
                                 "y wait completes h\n");
  Schedule schedule = asItStands(named.problem);
  schedule.buckets = {{3, 4}};
  EXPECT_EQ(named.str(delayWaits(named.problem, schedule, unlimited).order), "x a v g h w y");
}

TEST(DelayWaits, NotOverTheBudget) {
  NamedProblem named = problemOf("x input 0\n"
                                 "b compute 1 needs x makes 6\n"
                                 "g launch 5 needs b makes 1\n"
                                 "w wait completes g holds b\n"
                                 "a compute 10 needs x makes 5\n"
                                 "d compute 10 needs x makes 1\n"
                                 "c compute 1 needs w needs a needs d\n");
  EXPECT_EQ(named.str(delayWaits(named.problem, asItStands(named.problem), 13).order), "x b g a d w c");
  EXPECT_EQ(named.str(delayWaits(named.problem, asItStands(named.problem), 12).order), "x b g a w d c");
  EXPECT_EQ(named.str(delayWaits(named.problem, asItStands(named.problem), 11).order), "x b g w a d c");
}

TEST(IssueEarly, MakesNothingLaterAndKeepsTheBudget) {
  expectSound([](const Problem &problem, const Schedule &schedule, int64_t budget) {
    return issueEarly(problem, schedule, {budget});
  });
}

TEST(DelayWaits, MakesNothingLaterAndKeepsTheBudget) { expectSound(delayWaits); }

TEST(RobustSchedule, CutsABucketThatFastLinksWouldExpose) {
  // With the planned links the stream is late; with faster links it waits for the second computation.
  NamedProblem named = problemOf("x input 0\n"
                                 "a compute 4000 needs x\n"
                                 "b compute 4000 needs a\n"
                                 "g launch 6005 bytes 6000 key 0 needs a\n"
                                 "h launch 6005 bytes 6000 key 0 needs b\n"
                                 "w wait completes g\n"
                                 "v wait completes h\n"
                                 "c compute 1 needs w needs v\n");
  Schedule schedule = asItStands(named.problem);
  schedule.buckets = {{3, 4}};
  Schedule result = robust(named.problem, measured(named.problem, schedule), {});
  EXPECT_TRUE(result.buckets.empty());
  EXPECT_EQ(named.str(result.order), "x a g b h w v c");
}

TEST(RobustSchedule, WithoutRoundsNoBucketIsCutAndNoMomentIsLater) {
  expectSound([](const Problem &problem, const Schedule &schedule, int64_t budget) {
    Schedule result = robust(problem, schedule, {budget, 0});
    EXPECT_EQ(result.buckets, schedule.buckets);
    return result;
  });
}

TEST(RobustSchedule, CostsNextToNothingAndKeepsTheBudget) {
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    auto [problem, schedule, budget] = found(seed);
    SCOPED_TRACE(seed);
    Schedule result = robust(problem, measured(problem, schedule), {budget});
    expectLegal(problem, result);
    for (const std::vector<uint32_t> &bucket : result.buckets) {
      auto first = llvm::find(result.order, bucket.front());
      EXPECT_TRUE(std::equal(bucket.begin(), bucket.end(), first)) << "something stands between members";
    }
    Replay then = replay(problem, schedule), now = replay(problem, result);
    EXPECT_EQ(result.picoseconds, now.total);
    EXPECT_EQ(result.peakBytes, now.peakBytes);
    EXPECT_LE(now.total, then.total + then.total / 200);
    EXPECT_LE(peakWithBuckets(problem, result), std::max(budget, then.peakBytes));
  }
}
