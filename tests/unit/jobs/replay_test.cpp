// Tests the replay of jobs on the local engine.
#include "ccgraph/checks/job_check.h"
#include "unit/jobs/job_bench.h"

namespace ccgraph::test {
namespace {

/// Returns "..DDD" by semantics; the replay must agree with the check.
std::string replayed(JobBench &bench) {
  llvm::Expected<jobs::Job> job = bench.job();
  if (!job)
    return llvm::toString(job.takeError());
  JobCheckOptions options;
  options.replays = true;
  llvm::Expected<CheckedJob> checked = checkWholeJob(*job, options);
  if (!checked)
    return llvm::toString(checked.takeError());
  std::string text;
  for (const JobReplay &replay : checked->replays)
    text += replay.deadlock ? 'D' : '.';
  return text;
}

TEST(JobReplay, CrossedLaunchesEndByDeadlockOneAtATime) {
  JobBench bench(3);
  bench.group("a", {0, 1});
  for (auto [rank, first, second] : {std::tuple(0, "world", "a"), std::tuple(1, "a", "world")}) {
    RankText &text = bench.texts[static_cast<size_t>(rank)];
    int one = text.allReduce(first), other = text.allReduce(second);
    text.wait(one);
    text.wait(other);
  }
  bench.texts[2].wait(bench.texts[2].allReduce("world"));
  EXPECT_EQ(replayed(bench), "..DDD");
}

TEST(JobReplay, BuffersLetTwoSendsPass) {
  JobBench bench = bothSendFirst();
  EXPECT_EQ(replayed(bench), "...D.");
}

TEST(JobReplay, ASendWithoutAReceiveStaysInItsBuffer) {
  JobBench bench(2);
  bench.texts[0].wait(bench.texts[0].send(1));
  EXPECT_EQ(replayed(bench), "DDDD.");
}

TEST(JobReplay, ARankSendsToItself) {
  JobBench bench(2);
  RankText &text = bench.texts[0];
  int sent = text.send(0), received = text.receive(0);
  text.wait(sent);
  text.wait(received);
  EXPECT_EQ(replayed(bench), "...D.");
}

TEST(JobReplay, MismatchesDoNotEndIt) {
  JobBench bench(2);
  bench.texts[0].wait(bench.texts[0].allReduceOf("f32[4]", "world"));
  bench.texts[1].wait(bench.texts[1].allReduceOf("f64[8]", "world"));
  EXPECT_EQ(replayed(bench), ".....");
}

TEST(JobReplay, RanksWithoutGraphsLaunchWhatIsNeeded) {
  JobBench bench(3);
  for (size_t rank : {0, 2}) {
    bench.texts[rank].wait(bench.texts[rank].allReduce("world"));
    bench.texts[rank].wait(bench.texts[rank].send(1));
  }
  bench.absent = {1};
  EXPECT_EQ(replayed(bench), ".....");
}

TEST(JobReplay, TheTextNamesWhatRanksWaitFor) {
  JobBench bench(2);
  bench.texts[0].wait(bench.texts[0].allReduce("world"));
  llvm::Expected<jobs::Job> job = bench.job();
  ASSERT_TRUE(static_cast<bool>(job)) << llvm::toString(job.takeError());
  llvm::Expected<std::vector<JobReplay>> replays = replayJob(*job, {jobs::Semantics::Streams});
  ASSERT_TRUE(static_cast<bool>(replays)) << llvm::toString(replays.takeError());
  EXPECT_TRUE(replays->front().deadlock);
  EXPECT_NE(replays->front().text.find("`l0`"), std::string::npos) << replays->front().text;
}

TEST(JobReplay, AnotherVerdictIsAnError) {
  jobs::CheckResult result;
  result.verdicts = {{jobs::Semantics::Streams, false}};
  EXPECT_FALSE(static_cast<bool>(compareReplays(result, {{jobs::Semantics::Streams, false, ""}})));
  std::string text = llvm::toString(compareReplays(result, {{jobs::Semantics::Streams, true, ""}}));
  EXPECT_NE(text.find("under streams, the local engine ends the job by run.deadlock, and the check expects an end "
                      "without an error [job.replay]"),
            std::string::npos)
      << text;
}

TEST(JobReplay, TooManyRanksAreRefused) {
  JobBench bench(mostReplayedRanks + 1);
  EXPECT_NE(replayed(bench).find("got a job of 257 ranks, expected at most 256"), std::string::npos);
}

} // namespace
} // namespace ccgraph::test
