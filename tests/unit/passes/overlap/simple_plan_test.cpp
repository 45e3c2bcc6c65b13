// Tests the plan of one bucket a layer, and that the search is no slower than this plan.
#include "schedule/overlap/replay.h"
#include "schedule/overlap/search.h"
#include "schedule/overlap/simple_plan.h"
#include "unit/passes/overlap/problem_text.h"

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

using Sizes = std::vector<size_t>;

std::optional<Schedule> planOf(const Problem &problem) { return simplePlan(problem, Tasks(problem)); }

std::string bucketsText(const NamedProblem &given, const Schedule &schedule) {
  std::string text;
  for (const std::vector<uint32_t> &bucket : schedule.buckets)
    text += (text.empty() ? "" : ", ") + given.str(bucket);
  return text;
}

/// Four layers, each with two parameters of 64 and 32 bytes, which are gathered, and whose gradients are reduced.
NamedProblem fourLayers(const std::string &transferTime) {
  std::string text = "p input 0\n", last = "p";
  auto layer = [](unsigned i) { return std::to_string(i); };
  for (unsigned i = 0; i < 4; ++i)
    for (const char *half : {"a", "b"}) {
      std::string id = half + layer(i), bytes = half == std::string("a") ? "64" : "32";
      text += "g" + id + " launch " + transferTime + " bytes " + bytes + " key 0 makes 8 needs p\n";
      text += "w" + id + " wait completes g" + id + "\n";
      text += "c" + id + " compute 100 makes 1 needs w" + id + " needs " + last + "\n";
      last = "c" + id;
    }
  std::string results;
  for (unsigned i = 4; i-- > 0;)
    for (const char *half : {"b", "a"}) {
      std::string id = half + layer(i), bytes = half == std::string("a") ? "64" : "32";
      text += "d" + id + " compute 100 makes 8 needs " + last + "\n";
      last = "d" + id;
      text += "r" + id + " launch " + transferTime + " bytes " + bytes + " key 1 makes 8 needs d" + id + "\n";
      text += "v" + id + " wait completes r" + id + "\n";
      text += "s" + id + " view needs v" + id + "\n";
      results += " needs s" + id;
    }
  return problemOf(text + "o compute 0 needs " + last + results + "\n");
}

/// The price of a program limited by bandwidth, and of one limited by latency.
Problem withPrice(Problem problem, int64_t latency, int64_t perByte) {
  problem.estimatedTime = [=](uint32_t, int64_t bytes) { return latency + perByte * bytes; };
  for (uint32_t step = 0; step < problem.steps.size(); ++step)
    if (Step &it = problem.steps[step]; it.kind == StepKind::Launch)
      it.picoseconds = problem.estimatedTime(step, it.bytes);
  return problem;
}

} // namespace

TEST(Layers, APeriodInTheSizesIsALayer) {
  EXPECT_EQ(layersOf({64, 32, 64, 32, 64, 32}), (Sizes{2, 4, 6}));
  EXPECT_EQ(layersOf({1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}), (Sizes{3, 6, 9, 12}));
}

TEST(Layers, WhatIsBetweenLayersStaysApart) {
  // the embedding, four layers, the head, and the layers of the backward pass
  EXPECT_EQ(layersOf({900, 1, 2, 1, 2, 1, 2, 1, 2, 901, 2, 1, 2, 1, 2, 1, 2, 1}),
            (Sizes{1, 3, 5, 7, 9, 10, 12, 14, 16, 18}));
}

TEST(Layers, SizesWithoutAPeriodAreOneLayer) {
  EXPECT_EQ(layersOf({1, 2, 3, 4, 5, 6, 7}), Sizes{7});
  EXPECT_EQ(layersOf({5}), Sizes{1});
  EXPECT_EQ(layersOf({}), Sizes{0});
}

TEST(SimplePlan, IsOneBucketALayerThatIsFetchedALayerAhead) {
  NamedProblem given = fourLayers("10");
  given.problem = withPrice(std::move(given.problem), 1, 1);
  std::optional<Schedule> plan = planOf(given.problem);
  ASSERT_TRUE(plan);
  EXPECT_EQ(bucketsText(given, *plan), "ga0 gb0, ga1 gb1, ga2 gb2, ga3 gb3, rb3 ra3, rb2 ra2, rb1 ra1, rb0 ra0");
  EXPECT_EQ(given.str(plan->order), "p ga0 gb0 ga1 gb1 wa0 ca0 wb0 cb0 ga2 gb2 wa1 ca1 wb1 cb1 ga3 gb3 wa2 ca2 wb2 cb2 "
                                    "wa3 ca3 wb3 cb3 db3 da3 rb3 ra3 db2 da2 rb2 ra2 vb3 sb3 va3 sa3 db1 da1 rb1 ra1 "
                                    "vb2 sb2 va2 sa2 db0 da0 rb0 ra0 vb1 sb1 va1 sa1 vb0 sb0 va0 sa0 o");
}

TEST(SimplePlan, IsOneBucketOfAllWhereLatencyIsMostOfTheTime) {
  NamedProblem given = fourLayers("10");
  given.problem = withPrice(std::move(given.problem), 1000, 1);
  std::optional<Schedule> plan = planOf(given.problem);
  ASSERT_TRUE(plan);
  EXPECT_EQ(bucketsText(given, *plan), "ga0 gb0 ga1 gb1 ga2 gb2 ga3 gb3, rb3 ra3 rb2 ra2 rb1 ra1 rb0 ra0");
}

TEST(SimplePlan, LeavesCollectivesWithReadersSoon) {
  NamedProblem given = problemOf(R"(p input 0
a compute 100 makes 1 needs p
g launch 10 bytes 64 key 0 makes 8 needs a
w wait completes g
b compute 100 makes 1 needs w
h launch 10 bytes 64 key 0 makes 8 needs b
v wait completes h
c compute 100 makes 1 needs v
o compute 0 needs c
)");
  EXPECT_FALSE(planOf(given.problem));
}

TEST(SimplePlan, LeavesCollectivesThatMayNotBeMerged) {
  NamedProblem given = fourLayers("10");
  for (Step &step : given.problem.steps)
    step.mergeKey = none;
  EXPECT_FALSE(planOf(given.problem));
}

// A trial schedule issues the first reduction alone, because its stream is idle. With a long latency, one bucket of all
// reductions is the fastest schedule.
TEST(Search, IsNoSlowerThanASimplePlanThatFits) {
  NamedProblem given = fourLayers("10");
  for (int64_t latency : {1, 100, 1000, 10'000}) {
    Problem problem = withPrice(given.problem, latency, 1);
    Schedule plan = measured(problem, *planOf(problem));
    Schedule found = search(problem, {unlimited, 16, 0});
    EXPECT_LE(found.picoseconds, plan.picoseconds) << "latency " << latency;
    int64_t budget = plan.peakBytes - 1;
    Schedule within = search(problem, {budget, 16, 0});
    EXPECT_TRUE(within.peakBytes <= budget || within.peakBytes <= replay(problem, asItStands(problem)).peakBytes);
    EXPECT_GE(within.picoseconds, found.picoseconds);
  }
  Problem slow = withPrice(given.problem, 10'000, 1);
  EXPECT_EQ(search(slow, {unlimited, 16, 0}).buckets.size(), 2U);
}
