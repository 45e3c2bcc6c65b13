// Tests the edits that findings propose, and that no edit is proposed where none of the tried ones helps.
#include "unit/jobs/job_bench.h"

namespace ccgraph::test {
namespace {

std::string repairOf(JobBench &bench, const jobs::CheckOptions &options = {}) {
  jobs::CheckResult result = bench.check(options);
  return result.findings.empty() ? "no finding" : result.findings.front().repair;
}

TEST(JobRepair, TheValueOfTheMajority) {
  JobBench bench(3);
  for (size_t rank : {0, 1, 2})
    bench.texts[rank].wait(bench.texts[rank].allReduce("world", rank == 1 ? "max" : "sum"));
  EXPECT_EQ(repairOf(bench), "sum in l0 of rank 1");
}

TEST(JobRepair, NoValueIfALaterLaunchDiffersToo) {
  JobBench bench(3);
  for (const char *reduction : {"max", "min"})
    for (size_t rank : {0, 1, 2})
      bench.texts[rank].wait(bench.texts[rank].allReduce("world", rank == 1 ? reduction : "sum"));
  EXPECT_EQ(repairOf(bench), "");
}

TEST(JobRepair, OneLaunchMore) {
  JobBench bench(3);
  for (size_t rank : {0, 1, 2}) {
    bench.texts[rank].wait(bench.texts[rank].allReduce("world"));
    if (rank != 2)
      bench.texts[rank].wait(bench.texts[rank].gather("world", 3));
    bench.texts[rank].wait(bench.texts[rank].allReduce("world", "max"));
  }
  EXPECT_EQ(repairOf(bench), "on rank 2, launch what l1 of rank 0 launches before l1");
}

TEST(JobRepair, OneLaunchLess) {
  JobBench bench(3);
  for (size_t rank : {0, 1, 2}) {
    if (rank == 1)
      bench.texts[rank].wait(bench.texts[rank].gather("world", 3));
    bench.texts[rank].wait(bench.texts[rank].allReduce("world", "max"));
  }
  EXPECT_EQ(repairOf(bench), "on rank 1, remove l0");
}

TEST(JobRepair, NoSingleLaunchIfTwoAreMissing) {
  JobBench bench(3);
  for (size_t rank : {0, 1, 2})
    for (int count = rank == 1 ? 1 : 3; count > 0; --count)
      bench.texts[rank].wait(bench.texts[rank].allReduce("world"));
  EXPECT_EQ(repairOf(bench), "");
}

TEST(JobRepair, TheExchangeOfTwoLaunches) {
  JobBench bench = crossedGroups();
  EXPECT_EQ(repairOf(bench), "on rank 0, launch l1 before l0");
}

TEST(JobRepair, NoTrialIsMadeBeyondTheLimit) {
  JobBench bench = crossedGroups();
  EXPECT_EQ(repairOf(bench, {.mostTrials = 0}), "");
}

TEST(JobRepair, OneBatchOfTransfersThatCross) {
  JobBench bench = bothSendFirst();
  EXPECT_EQ(repairOf(bench), "on rank 0, make one batch of l0 and l1");
}

TEST(JobRepair, NoExchangeOfALaunchThatReadsTheOther) {
  JobBench bench(3);
  bench.group("pair", {0, 1});
  for (auto [rank, first, second] : {std::tuple(0, "world", "pair"), std::tuple(1, "pair", "world")}) {
    RankText &text = bench.texts[static_cast<size_t>(rank)];
    int launch = text.allReduce(first);
    text.wait(launch);
    text.wait(text.allReduce(second, "sum", launch));
  }
  bench.texts[2].wait(bench.texts[2].allReduce("world"));
  EXPECT_EQ(repairOf(bench), "");
}

TEST(JobRepair, ASendIsRemoved) {
  JobBench bench(2);
  bench.texts[0].wait(bench.texts[0].send(1));
  EXPECT_EQ(repairOf(bench), "on rank 0, remove l0, or add its other end");
}

TEST(JobRepair, AWaitIsAdded) {
  JobBench bench(2);
  bench.texts[0].allReduce("world");
  bench.texts[1].wait(bench.texts[1].allReduce("world"));
  EXPECT_EQ(repairOf(bench), "on rank 0, wait for l0");
}

TEST(JobRepair, TheOrderOfAnotherMember) {
  JobBench bench(3);
  bench.orderAt(1, "world", {1, 2, 0});
  for (RankText &text : bench.texts)
    text.wait(text.allReduce("world"));
  jobs::CheckResult result = bench.check();
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings.front().repair, "in the group table of rank 1, order the ranks as rank 0 does");
}

TEST(JobRepair, ALaunchOutsideItsGroupIsRemoved) {
  JobBench bench(3);
  bench.group("pair", {0, 1});
  bench.texts[2].wait(bench.texts[2].allReduce("pair"));
  jobs::CheckResult result = bench.check();
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings.front().repair, "on rank 2, remove l0, which does nothing");
}

TEST(JobRepair, AReceiveOfWhatIsSent) {
  JobBench bench(2);
  bench.texts[0].wait(bench.texts[0].send(1, 0, "f32[8]"));
  bench.texts[1].wait(bench.texts[1].receive(0, 0, "f32[4]"));
  jobs::CheckResult result = bench.check();
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings.front().rule, jobs::Rule::P2PSize);
  EXPECT_NE(result.findings.front().repair.find("on rank 1, receive "), std::string::npos)
      << result.findings.front().repair;
  EXPECT_NE(result.findings.front().repair.find("f32[8] in l0"), std::string::npos) << result.findings.front().repair;
}

TEST(JobRepair, EachChannelHasItsOwnReceive) {
  JobBench bench(2);
  for (int i : {0, 1}) {
    bench.texts[0].wait(bench.texts[0].send(1, i, "f32[8]"));
    bench.texts[1].wait(bench.texts[1].receive(0, i, i == 0 ? "f32[4]" : "f32[2]"));
  }
  jobs::CheckResult result = bench.check();
  ASSERT_EQ(result.findings.size(), 2U);
  for (const jobs::Finding &finding : result.findings)
    EXPECT_FALSE(finding.repair.empty());
}

} // namespace
} // namespace ccgraph::test
