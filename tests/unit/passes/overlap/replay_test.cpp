#include "schedule/overlap/replay.h"
#include "unit/passes/overlap/problem_text.h"

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

Replay replayOf(const NamedProblem &named, const std::vector<std::vector<uint32_t>> &buckets = {}) {
  Schedule schedule = asItStands(named.problem);
  schedule.buckets = buckets;
  return replay(named.problem, schedule);
}

} // namespace

TEST(Replay, AWaitIdlesUntilTheTransferIsDone) {
  Replay result = replayOf(problemOf("g launch 10\n"
                                     "a compute 4\n"
                                     "w wait completes g\n"
                                     "b compute 5 needs w\n"));
  EXPECT_EQ(result.total, 15);
  EXPECT_EQ(result.compute, 9);
  EXPECT_EQ(result.exposed, 6);
  EXPECT_EQ(result.exposedBy[0], 6);
}

TEST(Replay, ATransferStartsWhenItsStreamIsFree) {
  Replay result = replayOf(problemOf("g launch 10\n"
                                     "h launch 10\n"
                                     "i launch 10 stream 1\n"
                                     "wg wait completes g\n"
                                     "wh wait completes h\n"
                                     "wi wait completes i\n"));
  EXPECT_EQ(result.begin[1], 10);
  EXPECT_EQ(result.begin[2], 0);
  EXPECT_EQ(result.total, 20);
  EXPECT_EQ(result.busy[0], 20);
  EXPECT_EQ(result.busy[1], 10);
}

TEST(Replay, WhatEndsAfterTheLastStepIsExposed) {
  Replay result = replayOf(problemOf("a compute 4\n"
                                     "g launch 10 needs a\n"
                                     "b compute 5 needs a\n"));
  EXPECT_EQ(result.total, 14);
  EXPECT_EQ(result.exposedBy[1], 5);
}

TEST(Replay, ABucketIsOneTransferOfAllItsBytes) {
  NamedProblem named = problemOf("g launch 30 bytes 6 key 0\n"
                                 "h launch 30 bytes 8 key 0\n"
                                 "wg wait completes g\n"
                                 "wh wait completes h\n");
  Replay result = replayOf(named, {{0, 1}});
  EXPECT_EQ(result.end[0], 5 + 14);
  EXPECT_EQ(result.total, 19);
}

TEST(Replay, MemoryLivesFromItsFirstHolderToItsLast) {
  Replay result = replayOf(problemOf("a compute 1 makes 8\n"
                                     "b compute 1 makes 4 needs a\n"
                                     "c compute 1 makes 2 needs b\n"
                                     "d compute 1 makes 1 needs c\n"));
  EXPECT_EQ(result.peakBytes, 12);
  EXPECT_EQ(result.peakAt, 1U);
}

TEST(Replay, ABucketHoldsAllUntilTheLastOfItsWaits) {
  // Without the bucket, the input of g is freed before b; the wait for h, after b, holds it.
  NamedProblem late = problemOf("x compute 1 makes 4\n"
                                "y compute 1 makes 2\n"
                                "g launch 3 bytes 1 key 0 makes 1 needs x\n"
                                "h launch 3 bytes 1 key 0 makes 1 needs y\n"
                                "w wait completes g holds x\n"
                                "b compute 1 makes 8\n"
                                "v wait completes h holds y\n");
  EXPECT_EQ(replayOf(late).peakBytes, 2 + 1 + 8);
  EXPECT_EQ(replayOf(late, {{2, 3}}).peakBytes, 4 + 2 + 1 + 1 + 8);
}
