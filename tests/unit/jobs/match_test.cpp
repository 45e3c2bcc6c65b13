// Tests the rules that compare the ranks of a job: what each reports, and what it must not report.
#include "unit/jobs/job_bench.h"

namespace ccgraph::test {
namespace {

/// Each rank launches what `call` launches, and waits.
template <typename Call>
void each(JobBench &bench, Call call) {
  for (RankText &text : bench.texts)
    text.wait(call(text));
}

TEST(JobMatch, EqualRanksHaveNoFinding) {
  JobBench bench(4);
  each(bench, [](RankText &text) { return text.allReduce("world"); });
  each(bench, [](RankText &text) { return text.broadcast("world", 2); });
  each(bench, [](RankText &text) { return text.gather("world", 4); });
  EXPECT_EQ(bench.verdict(), ".....");
  jobs::CheckResult result = bench.check();
  EXPECT_EQ(result.programs, 1u);
  EXPECT_EQ(result.classes, 1u);
}

TEST(JobMatch, ARankLacksACollective) {
  JobBench bench(3);
  each(bench, [](RankText &text) { return text.allReduce("world"); });
  for (size_t rank : {0, 1})
    bench.texts[rank].wait(bench.texts[rank].gather("world", 3));
  EXPECT_EQ(bench.verdict(), "DDDDD missing 2");
  const jobs::Finding finding = bench.check().findings.front();
  EXPECT_EQ(finding.sequence, 2u);
  EXPECT_EQ(finding.othersRanks, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(finding.others->node, "l1");
}

TEST(JobMatch, OfTwoRanksBothAreNamed) {
  JobBench bench(2);
  bench.texts[0].wait(bench.texts[0].allReduce("world"));
  EXPECT_EQ(bench.verdict(), "DDDDD missing 0 1");
}

TEST(JobMatch, TheOddRankIsFoundByMajority) {
  JobBench bench(3);
  for (size_t rank : {0, 1, 2})
    bench.texts[rank].wait(bench.texts[rank].allReduce("world", rank == 1 ? "max" : "sum"));
  EXPECT_EQ(bench.verdict(), "..... reduction 1");
}

TEST(JobMatch, KindHidesOtherDifferences) {
  JobBench bench(3);
  for (size_t rank : {0, 1, 2})
    bench.texts[rank].wait(rank == 2 ? bench.texts[rank].gather("world", 3) : bench.texts[rank].allReduce("world"));
  EXPECT_EQ(bench.verdict(), "..... kind 2");
}

TEST(JobMatch, DTypeAndCountAreTwoFindings) {
  JobBench bench(3);
  for (size_t rank : {0, 1, 2})
    bench.texts[rank].wait(bench.texts[rank].allReduceOf(rank == 0 ? "f64[8]" : "f32[4]", "world"));
  EXPECT_EQ(bench.verdict(), "..... dtype 0, count 0");
}

TEST(JobMatch, ShapesOfEqualCountAgree) {
  JobBench bench(2);
  bench.texts[0].wait(bench.texts[0].allReduceOf("f32[4]", "world"));
  bench.texts[1].wait(bench.texts[1].allReduce("world"));
  EXPECT_EQ(bench.verdict(), ".....");
}

TEST(JobMatch, OnlyTheFirstPlaceIsReported) {
  JobBench bench(3);
  for (const char *reduction : {"max", "min"})
    for (size_t rank : {0, 1, 2})
      bench.texts[rank].wait(bench.texts[rank].allReduce("world", rank == 1 ? reduction : "sum"));
  jobs::CheckResult result = bench.check();
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings.front().sequence, 1u);
}

TEST(JobMatch, RootsAreComparedAsRanks) {
  JobBench bench(3);
  for (size_t rank : {0, 1, 2})
    bench.texts[rank].wait(bench.texts[rank].broadcast("world", rank == 2 ? 1 : 0));
  EXPECT_EQ(bench.verdict(), "..... root 2");
}

TEST(JobMatch, SplitsTranspose) {
  JobBench bench(2);
  bench.texts[0].wait(bench.texts[0].exchange("world", "1, 3", "1, 2", 3, 4));
  bench.texts[1].wait(bench.texts[1].exchange("world", "2, 1", "3, 1", 4, 3));
  EXPECT_EQ(bench.verdict(), ".....");
}

TEST(JobMatch, ASplitThatTheReceiverDoesNotExpect) {
  JobBench bench(3);
  bench.texts[0].wait(bench.texts[0].exchange("world", "1, 1, 1", "1, 1, 1", 3, 3));
  bench.texts[1].wait(bench.texts[1].exchange("world", "1, 1, 1", "1, 1, 1", 3, 3));
  bench.texts[2].wait(bench.texts[2].exchange("world", "1, 1, 1", "2, 2, 1", 5, 3));
  EXPECT_EQ(bench.verdict(), "..... splits 2");
}

TEST(JobMatch, TablesThatOrderAGroupDifferently) {
  JobBench bench(3);
  each(bench, [](RankText &text) { return text.broadcast("world", 0); });
  bench.orderAt(1, "world", {1, 0, 2});
  EXPECT_EQ(bench.verdict(), "..... members 1");
}

TEST(JobMatch, GroupsAreSetsOfRanksWhateverTheirNames) {
  JobBench bench(4);
  bench.group("left", {0, 1});
  bench.group("right", {2, 3});
  for (size_t rank : {0, 1, 2, 3})
    bench.texts[rank].wait(bench.texts[rank].allReduce(rank < 2 ? "left" : "right", rank < 2 ? "sum" : "max"));
  EXPECT_EQ(bench.verdict(), ".....");
}

TEST(JobMatch, ALaunchOnAGroupWithoutTheRank) {
  JobBench bench(3);
  bench.group("pair", {0, 1});
  each(bench, [](RankText &text) { return text.allReduce("pair"); });
  EXPECT_EQ(bench.verdict(), "..... outside 2");
}

TEST(JobMatch, ALaunchWithoutAWaitUnlessItIsReturned) {
  JobBench bench(2);
  bench.texts[0].allReduce("world");
  bench.texts[1].returns(bench.texts[1].allReduce("world"));
  EXPECT_EQ(bench.verdict(), "..... never-waited 0");
}

TEST(JobMatch, ASendWithoutAReceive) {
  JobBench bench(2);
  bench.texts[0].wait(bench.texts[0].send(1));
  EXPECT_EQ(bench.verdict(), "DDDD. p2p-partner 0 1");
}

TEST(JobMatch, TransfersMatchByTag) {
  JobBench bench(2);
  bench.texts[0].wait(bench.texts[0].send(1, 5));
  bench.texts[1].wait(bench.texts[1].receive(0, 4));
  EXPECT_EQ(bench.verdict(), "DDDDD p2p-partner 0 1");
}

TEST(JobMatch, TheEndsOfATransferDiffer) {
  JobBench bench(2);
  bench.texts[0].wait(bench.texts[0].send(1, 0, "f32[8]"));
  bench.texts[1].wait(bench.texts[1].receive(0));
  EXPECT_EQ(bench.verdict(), "..... p2p-size 0 1");
}

TEST(JobMatch, ARankWithoutAGraphIsAssumed) {
  JobBench bench(3);
  each(bench, [](RankText &text) { return text.allReduce("world"); });
  bench.absent = {1};
  EXPECT_EQ(bench.verdict(), ".....");
  ASSERT_EQ(bench.check().assumptions.size(), 1u);
  EXPECT_EQ(bench.check().assumptions.front(), "rank 1, which has no graph, launches what its groups need");
}

TEST(JobMatch, RanksWithoutGraphsAreSpans) {
  JobBench bench(4);
  each(bench, [](RankText &text) { return text.allReduce("world"); });
  bench.absent = {1, 2};
  ASSERT_EQ(bench.check().assumptions.size(), 1u);
  EXPECT_EQ(bench.check().assumptions.front(), "ranks 1-2, which have no graph, launch what their groups need");
}

TEST(JobMatch, WhatTheOthersDoIsFoundWithoutOneGraph) {
  JobBench bench(4);
  for (size_t rank : {0, 1, 2, 3})
    bench.texts[rank].wait(bench.texts[rank].allReduce("world", rank == 3 ? "max" : "sum"));
  bench.absent = {1};
  EXPECT_EQ(bench.verdict(), "..... reduction 3");
}

std::string errorOf(JobBench &bench) {
  llvm::Expected<jobs::Job> job = bench.job();
  return job ? "no error" : llvm::toString(job.takeError());
}

TEST(JobInput, AGroupWithoutRanks) {
  JobBench bench(2);
  each(bench, [](RankText &text) { return text.allReduce("unknown"); });
  EXPECT_EQ(errorOf(bench), "error: l0: got group 'unknown', whose ranks no file states [job.group]\n"
                            "  note: give its ranks with --groups\n");
}

TEST(JobInput, APeerOutsideItsGroup) {
  JobBench bench(2);
  bench.texts[0].wait(bench.texts[0].send(2));
  EXPECT_EQ(errorOf(bench), "error: l0: got peer 2 of a group of 2 ranks, expected 0 to 1 [job.peer]\n"
                            "  note: a peer is the place of a rank in its group\n");
}

TEST(JobInput, ARootOutsideItsGroup) {
  JobBench bench(2);
  each(bench, [](RankText &text) { return text.broadcast("world", 3); });
  EXPECT_EQ(errorOf(bench), "error: l0: got root 3 of a group of 2 ranks, expected 0 to 1 [job.root]\n"
                            "  note: a root is the place of a rank in its group\n");
}

TEST(JobInput, SplitsOfAnotherGroup) {
  JobBench bench(2);
  each(bench, [](RankText &text) { return text.exchange("world", "1, 1, 1", "1, 1, 1", 3, 3); });
  EXPECT_EQ(errorOf(bench), "error: l0: got 3 splits on a group of 2 ranks, expected one for each rank [job.splits]\n"
                            "  note: the group file may belong to another job\n");
}

TEST(JobInput, TwoGraphsOfOneRank) {
  Context context;
  GraphList graphs = llvm::cantFail(readGraphs(context, {"a.py", RankText().str()}));
  jobs::Job job;
  EXPECT_FALSE(static_cast<bool>(job.add(*graphs.front(), {0})));
  EXPECT_EQ(llvm::toString(job.add(*graphs.front(), {0})),
            "error: f: got a second graph for rank 0, expected one [job.ranks]\n  note: list each rank once\n");
}

TEST(Spans, AreRangesOfAtMostTenItems) {
  EXPECT_EQ(jobs::spansText({7}), "rank 7");
  EXPECT_EQ(jobs::spansText({0, 1, 2, 8}), "ranks 0-2, 8");
  std::vector<int64_t> even;
  for (int64_t rank = 0; rank < 40; rank += 2)
    even.push_back(rank);
  EXPECT_EQ(jobs::spansText(even), "ranks 0, 2, 4, 6, 8, 10, 12, 14, 16, ...");
}

/// Two ranks that reduce a tensor of these sizes.
jobs::CheckResult checkSizes(llvm::StringRef first, llvm::StringRef second) {
  JobBench bench(2);
  bench.texts[0].wait(bench.texts[0].allReduceOf(("f32[" + first + "]").str(), "world"));
  bench.texts[1].wait(bench.texts[1].allReduceOf(("f32[" + second + "]").str(), "world"));
  return bench.check();
}

TEST(JobSizes, EqualExpressionsAgreeWithoutACondition) {
  jobs::CheckResult result = checkSizes("s0", "s0");
  EXPECT_TRUE(result.findings.empty());
  EXPECT_TRUE(result.assumptions.empty());
}

TEST(JobSizes, OtherExpressionsAgreeUnderACondition) {
  EXPECT_EQ(checkSizes("s0", "8").assumptions,
            (std::vector<std::string>{"collective 1 of the group of ranks 0-1 agrees only if [s0] of rank 0 and 8 "
                                      "elements of rank 1 are the same number of elements"}));
  EXPECT_EQ(checkSizes("s0", "s1").assumptions.size(), 1U);
  EXPECT_TRUE(checkSizes("s0", "s1").findings.empty());
}

TEST(JobSizes, NumbersThatDifferAreAFindingWithoutACondition) {
  jobs::CheckResult result = checkSizes("4", "8");
  EXPECT_EQ(result.findings.size(), 1U);
  EXPECT_TRUE(result.assumptions.empty());
}

} // namespace
} // namespace ccgraph::test
