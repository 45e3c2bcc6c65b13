// Tests how many communicators must be resident at once, and the order that needs one.
#include "unit/jobs/job_bench.h"

namespace ccgraph::test {
namespace {

/// Three ranks; each pair has a group.
class JobResidency : public ::testing::Test {
protected:
  JobResidency() : bench_(3) {
    bench_.group("a", {0, 1});
    bench_.group("b", {1, 2});
    bench_.group("c", {0, 2});
  }
  void launchAll(size_t rank, std::initializer_list<const char *> groups) {
    std::vector<int> launches;
    for (const char *group : groups)
      launches.push_back(bench_.texts[rank].allReduce(group));
    for (int launch : launches)
      bench_.texts[rank].wait(launch);
  }
  JobBench bench_;
};

TEST_F(JobResidency, OneIsEnoughWhereAllRanksIssueOneOrder) {
  for (size_t rank : {0, 1, 2})
    launchAll(rank, {"world", "world"});
  EXPECT_EQ(bench_.check().resident.needed, 1U);
}

TEST_F(JobResidency, CrossedLaunchesNeedTwo) {
  launchAll(0, {"world", "a"});
  launchAll(1, {"a", "world"});
  launchAll(2, {"world"});
  jobs::CheckResult result = bench_.check({.mostResident = 2});
  EXPECT_EQ(result.resident.needed, 2U);
  EXPECT_TRUE(result.resident.order.empty());
  for (const jobs::Finding &finding : result.findings)
    EXPECT_NE(finding.rule, jobs::Rule::Resident);
}

TEST_F(JobResidency, SeveralCollectivesOfOneCommunicatorCountOnce) {
  launchAll(0, {"world", "world", "world", "a"});
  launchAll(1, {"a", "world", "world", "world"});
  launchAll(2, {"world", "world", "world"});
  EXPECT_EQ(bench_.check().resident.needed, 2U);
}

TEST(JobResidencyOfFour, TwoRanksThatBeginWithOtherPairsNeedThree) {
  JobBench bench(4);
  bench.group("a", {0, 1});
  bench.group("b", {0, 1, 2});
  bench.group("c", {0, 1, 3});
  for (auto [rank, groups] : {std::pair<size_t, std::vector<const char *>>{0, {"a", "b", "c", "world"}},
                              {1, {"c", "world", "a", "b"}},
                              {2, {"b", "world"}},
                              {3, {"c", "world"}}}) {
    std::vector<int> launches;
    for (const char *group : groups)
      launches.push_back(bench.texts[rank].allReduce(group));
    for (int launch : launches)
      bench.texts[rank].wait(launch);
  }
  EXPECT_EQ(bench.check().resident.needed, 3U);
}

TEST_F(JobResidency, ALimitThatIsTooSmallIsAFindingWithAnOrder) {
  launchAll(0, {"world", "a"});
  launchAll(1, {"a", "world"});
  launchAll(2, {"world"});
  jobs::CheckOptions options;
  options.under = {jobs::Semantics::Streams};
  options.mostResident = 1;
  jobs::CheckResult result = bench_.check(options);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings.front().rule, jobs::Rule::Resident);
  EXPECT_EQ(result.findings.front().culprits, (std::vector<int64_t>{0, 1}));
  EXPECT_FALSE(result.findings.front().repair.empty());
  ASSERT_EQ(result.resident.order.size(), 1U);
  EXPECT_EQ(result.resident.order.front().ranks.size(), 1U);
  EXPECT_EQ(result.resident.order.front().launches, (std::vector<std::string>{"l1", "l0"}));
  EXPECT_EQ(result.resident.order.front().firstMove, "l1 before l0");
  EXPECT_TRUE(result.resident.order.front().isOneMove);
}

TEST_F(JobResidency, ADeadlockUnderStreamsHasNoSufficientNumber) {
  JobBench bench = crossedGroups();
  jobs::CheckOptions options;
  options.mostResident = 1;
  jobs::CheckResult result = bench.check(options);
  EXPECT_FALSE(result.resident.needed);
  for (const jobs::Finding &finding : result.findings)
    EXPECT_EQ(finding.rule, jobs::Rule::Deadlock);
}

} // namespace
} // namespace ccgraph::test
