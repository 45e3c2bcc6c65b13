// Tests the progress of jobs under each semantics, and the witness of a deadlock.
#include "unit/jobs/job_bench.h"

namespace ccgraph::test {
namespace {

class JobProgress : public ::testing::Test {
protected:
  JobProgress() : bench_(3) {
    bench_.group("a", {0, 1});
    bench_.group("b", {1, 2});
    bench_.group("c", {0, 2});
  }
  RankText &rank(size_t rank) { return bench_.texts[rank]; }
  /// Launches an all_reduce on each group, then waits for all.
  static void launchAll(RankText &text, std::initializer_list<const char *> groups) {
    std::vector<int> launches;
    for (const char *group : groups)
      launches.push_back(text.allReduce(group));
    for (int launch : launches)
      text.wait(launch);
  }
  /// Launches an all_reduce on each group, and waits for each at once.
  static void launchEach(RankText &text, std::initializer_list<const char *> groups) {
    for (const char *group : groups)
      text.wait(text.allReduce(group));
  }
  JobBench bench_;
};

TEST_F(JobProgress, LaunchesThatCrossNeedTwoInFlight) {
  launchAll(rank(0), {"world", "a"});
  launchAll(rank(1), {"a", "world"});
  launchAll(rank(2), {"world"});
  EXPECT_EQ(bench_.verdict(), "..DDD deadlock 0 1");
}

TEST_F(JobProgress, WaitsBetweenThemBlockStreams) {
  launchEach(rank(0), {"world", "a"});
  launchEach(rank(1), {"a", "world"});
  launchEach(rank(2), {"world"});
  EXPECT_EQ(bench_.verdict(), ".DDDD deadlock 0 1");
}

TEST_F(JobProgress, HostReadsBlockDataflow) {
  for (auto [at, first, second] : {std::tuple(0, "world", "a"), std::tuple(1, "a", "world")}) {
    RankText &text = rank(static_cast<size_t>(at));
    int launch = text.allReduce(first);
    text.wait(launch);
    text.read(launch);
    text.wait(text.allReduce(second));
  }
  launchEach(rank(2), {"world"});
  EXPECT_EQ(bench_.verdict(), "DDDDD deadlock 0 1");
}

TEST_F(JobProgress, InputsThatCrossBlockDataflow) {
  for (auto [at, first, second] : {std::tuple(0, "world", "a"), std::tuple(1, "a", "world")}) {
    RankText &text = rank(static_cast<size_t>(at));
    int launch = text.allReduce(first);
    text.wait(launch);
    text.wait(text.allReduce(second, "sum", launch));
  }
  launchEach(rank(2), {"world"});
  EXPECT_EQ(bench_.verdict(), "DDDDD deadlock 0 1");
}

TEST_F(JobProgress, ThreeGroupsInACircle) {
  launchAll(rank(0), {"a", "c"});
  launchAll(rank(1), {"b", "a"});
  launchAll(rank(2), {"c", "b"});
  EXPECT_EQ(bench_.verdict(), "..DDD deadlock 0 1 2");
}

TEST_F(JobProgress, GroupsInOneOrderAreSafe) {
  launchEach(rank(0), {"a", "c"});
  launchEach(rank(1), {"a", "b"});
  launchEach(rank(2), {"b", "c"});
  EXPECT_EQ(bench_.verdict(), ".....");
}

TEST_F(JobProgress, BarriersInACircle) {
  rank(0).barrier("world");
  rank(0).barrier("a");
  rank(1).barrier("a");
  rank(1).barrier("world");
  rank(2).barrier("world");
  EXPECT_EQ(bench_.verdict(), "DDDDD deadlock 0 1");
}

TEST_F(JobProgress, EachLaunchOfAWitnessWaitsForTheNextRank) {
  launchEach(rank(0), {"world", "a"});
  launchEach(rank(1), {"a", "world"});
  launchEach(rank(2), {"world"});
  jobs::CheckResult result = bench_.check({{jobs::Semantics::Streams}});
  ASSERT_EQ(result.findings.size(), 1u);
  const jobs::Finding &finding = result.findings.front();
  ASSERT_EQ(finding.nodes.size(), 2u);
  EXPECT_EQ(finding.under, jobs::Semantics::Streams);
  EXPECT_EQ(finding.nodes[0].node, "l0");
  EXPECT_EQ(finding.nodes[1].node, "l0");
}

TEST(JobTransfers, BothSendFirst) {
  JobBench bench = bothSendFirst();
  EXPECT_EQ(bench.verdict(), "...D. deadlock 0 1");
}

TEST(JobTransfers, BothReceiveFirst) {
  JobBench bench(2);
  for (int rank : {0, 1}) {
    RankText &text = bench.texts[static_cast<size_t>(rank)];
    text.wait(text.receive(1 - rank));
    text.wait(text.send(1 - rank));
  }
  EXPECT_EQ(bench.verdict(), ".DDDD deadlock 0 1");
}

TEST(JobTransfers, ABatchLetsThemCross) {
  JobBench bench(2);
  for (int rank : {0, 1}) {
    RankText &text = bench.texts[static_cast<size_t>(rank)];
    text.wait(text.swapWith(1 - rank));
  }
  EXPECT_EQ(bench.verdict(), ".....");
}

/// In a ring, all ranks have one class, and the circle of waits visits each of them.
TEST(JobClasses, ACircleIsFoundAmongRanksNotClasses) {
  constexpr int ranks = 5;
  JobBench bench(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    RankText &text = bench.texts[static_cast<size_t>(rank)];
    int sent = text.send((rank + 1) % ranks), received = text.receive((rank + ranks - 1) % ranks);
    text.wait(sent);
    text.wait(received);
  }
  EXPECT_EQ(bench.verdict(), "...D. deadlock 0 1 2 3 4");
}

TEST(JobClasses, RanksOfOneProgramInSymmetricGroupsAreOneClass) {
  constexpr int64_t ranks = 64;
  Context context;
  RankText text;
  text.wait(text.allReduce("pairs"));
  text.wait(text.allReduce("world"));
  std::string source = text.str();
  GraphList graphs = llvm::cantFail(readGraphs(context, {"a.py", source}));
  Group pairs, world;
  pairs.name = "pairs";
  world.name = "world";
  std::vector<int64_t> all;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    if (rank % 2 == 0)
      pairs.partition.push_back({rank, rank + 1});
    all.push_back(rank);
  }
  world.ranks = all;
  graphs.front()->groups().set(pairs);
  graphs.front()->groups().set(world);
  jobs::Job job;
  ASSERT_FALSE(static_cast<bool>(job.add(*graphs.front(), all)));
  jobs::CheckResult result = jobs::checkJob(job);
  EXPECT_EQ(result.classes, 1u);
  EXPECT_TRUE(result.findings.empty());
}

TEST(Semantics, NamesAreParsed) {
  for (jobs::Semantics semantics : jobs::allSemantics)
    EXPECT_EQ(jobs::parseSemantics(jobs::semanticsName(semantics)), semantics);
  EXPECT_EQ(jobs::parseSemantics("stream"), std::nullopt);
}

} // namespace
} // namespace ccgraph::test
