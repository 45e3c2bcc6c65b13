// How large buckets are worth trying, by the prices of a program's collectives, and that the search makes such buckets.
#include "schedule/overlap/large_bucket.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/search.h"
#include "unit/passes/overlap/problem_text.h"

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

constexpr int64_t mebibyte = int64_t{1} << 20;

/// Picoseconds: so much of each transfer, and one for each kibibyte.
std::function<int64_t(uint32_t, int64_t)> priceWithLatency(int64_t latency) {
  return [latency](uint32_t, int64_t bytes) { return latency + bytes / 1024; };
}

/// As many gathers of 256 MiB as there are tasks that each need one.
Problem gathersAndTasks(unsigned count, int64_t latency, int64_t compute) {
  std::string text = "p input 0\n", before = "p";
  for (unsigned i = 0; i < count; ++i) {
    std::string id = std::to_string(i);
    text += "g" + id + " launch 1 bytes " + std::to_string(256 * mebibyte) + " key 0 makes 1 needs p\n";
    text += "w" + id + " wait completes g" + id + "\n";
    text += "c" + id + " compute " + std::to_string(compute) + " makes 1 needs w" + id + " needs " + before + "\n";
    before = "c" + id;
  }
  Problem problem = problemOf(text + "o compute 0 needs " + before + "\n").problem;
  problem.estimatedTime = priceWithLatency(latency);
  for (uint32_t step = 0; step < problem.steps.size(); ++step)
    if (Step &it = problem.steps[step]; it.kind == StepKind::Launch)
      it.picoseconds = problem.estimatedTime(step, it.bytes);
  return problem;
}

} // namespace

TEST(LargeBucket, IsNoLargerThanUsualWhereLatencyIsShort) {
  EXPECT_EQ(largeBucket(gathersAndTasks(64, 1000, 1)), 512 * mebibyte);
}

TEST(LargeBucket, GrowsUntilLatencyIsAFiftiethOfTheTime) {
  // Of 16 GiB, 2^24 kibibytes: 2 % of the best pace are 20 picoseconds a mebibyte or a little more.
  constexpr int64_t latency = 80'000;
  int64_t large = largeBucket(gathersAndTasks(64, latency, 1));
  EXPECT_EQ(large, 4096 * mebibyte);
}

TEST(LargeBucket, IsNoLargerThanAllCollectivesOfAKind) {
  EXPECT_EQ(largeBucket(gathersAndTasks(3, 80'000'000, 1)), 512 * mebibyte);
  EXPECT_EQ(largeBucket(gathersAndTasks(4, 80'000'000, 1)), 1024 * mebibyte);
  EXPECT_EQ(largeBucket(gathersAndTasks(1, 80'000'000, 1)), 512 * mebibyte);
}

TEST(LargeBucket, TheSearchMakesLargerBucketsWhereTheySaveAPercent) {
  auto largestOf = [](int64_t latency) {
    Problem problem = gathersAndTasks(1024, latency, 270'000);
    Schedule found = search(problem, {unlimited, 16, 0});
    EXPECT_EQ(replay(problem, found).total, found.picoseconds);
    size_t largest = 1;
    for (const std::vector<uint32_t> &bucket : found.buckets)
      largest = std::max(largest, bucket.size());
    return static_cast<int64_t>(largest) * 256 * mebibyte;
  };
  EXPECT_LE(largestOf(100), 1024 * mebibyte);
  EXPECT_GT(largestOf(80'000), 1024 * mebibyte);
}
