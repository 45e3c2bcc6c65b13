// Tests that preferred positions and buckets become a legal order.
#include "schedule/overlap/arrange.h"
#include "schedule/overlap/places.h"
#include "schedule/overlap/replay.h"
#include "schedule/overlap/search.h"
#include "unit/passes/overlap/problem_text.h"
#include "unit/passes/overlap/random_problem.h"

#include <algorithm>
#include <map>
#include <random>

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

constexpr const char *twoGathers = R"(p input 0 makes 1
g launch 10 bytes 4 key 0 makes 4 needs p
w wait completes g
a compute 20 makes 1 needs w
h launch 10 bytes 4 key 0 makes 4 needs p
v wait completes h
b compute 20 makes 1 needs a needs v
o compute 0 needs b
)";

std::vector<uint32_t> placesOfSteps(size_t count) {
  std::vector<uint32_t> places(count);
  for (uint32_t step = 0; step < count; ++step)
    places[step] = step;
  return places;
}

/// A random program whose collectives of one stream may be merged.
Problem mergeable(uint64_t seed) {
  Problem problem = randomProblem(seed, 3 + seed % 4);
  for (Step &step : problem.steps)
    if (step.kind == StepKind::Launch)
      step.mergeKey = step.stream;
  return problem;
}

Preferences randomPreferences(const Problem &problem, std::mt19937_64 &random) {
  Preferences preferred;
  std::map<uint32_t, std::vector<uint32_t>> byKey;
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    preferred.places.push_back(random() % 4 == 0 ? none : static_cast<uint32_t>(random() % 20));
    if (problem.steps[step].mergeKey != none && random() % 3 > 0)
      byKey[problem.steps[step].mergeKey].push_back(step);
  }
  for (auto &[key, launches] : byKey)
    preferred.buckets.push_back(launches);
  return preferred;
}

void expectLegal(const Problem &problem, const Schedule &schedule) {
  ASSERT_EQ(schedule.order.size(), problem.steps.size());
  EXPECT_EQ(schedule.order.back(), problem.steps.size() - 1);
  std::vector<size_t> places = placesOf(schedule.order);
  for (uint32_t step = 0; step < problem.steps.size(); ++step) {
    EXPECT_EQ(schedule.order[places[step]], step);
    for (uint32_t from : problem.before[step])
      EXPECT_LT(places[from], places[step]);
  }
  for (const std::vector<uint32_t> &bucket : schedule.buckets) {
    ASSERT_GE(bucket.size(), 2U);
    for (size_t i = 1; i < bucket.size(); ++i) {
      EXPECT_EQ(places[bucket[i]], places[bucket[0]] + i);
      EXPECT_EQ(problem.steps[bucket[i]].mergeKey, problem.steps[bucket[0]].mergeKey);
    }
  }
}

} // namespace

TEST(Arrange, TheProgramsOwnOrderIsKept) {
  NamedProblem given = problemOf(twoGathers);
  Schedule schedule = arrange(given.problem, {placesOfSteps(8), {}});
  EXPECT_EQ(given.str(schedule.order), "p g w a h v b o");
  EXPECT_TRUE(schedule.buckets.empty());
}

TEST(Arrange, AStepMovesToItsPlaceWithWhatItNeeds) {
  NamedProblem given = problemOf(twoGathers);
  std::vector<uint32_t> places = placesOfSteps(8);
  places[5] = 1; // v, which needs h
  EXPECT_EQ(given.str(arrange(given.problem, {places, {}}).order), "p g h v w a b o");
}

TEST(Arrange, AStepWithoutAPlaceIsAsLateAsItsReader) {
  NamedProblem given = problemOf(twoGathers);
  std::vector<uint32_t> places = placesOfSteps(8);
  places[1] = none; // g
  places[4] = 0;    // h
  EXPECT_EQ(given.str(arrange(given.problem, {places, {}}).order), "p h g w a v b o");
}

// No output depends on w, and its place is after that of o.
TEST(Arrange, TheLastStepStaysLast) {
  NamedProblem given = problemOf(R"(p input 0 makes 1
g launch 10 bytes 4 makes 4 needs p
w wait completes g
a compute 20 makes 1 needs p
o compute 0 needs a
)");
  EXPECT_EQ(given.str(arrange(given.problem, {{0, 1, none, 3, 4}, {}}).order), "p g a w o");
}

TEST(Arrange, ABucketIsAtTheEarliestPlaceOfItsLaunches) {
  NamedProblem given = problemOf(twoGathers);
  Schedule schedule = arrange(given.problem, {placesOfSteps(8), {{4, 1}}});
  EXPECT_EQ(given.str(schedule.order), "p g h w a v b o");
  ASSERT_EQ(schedule.buckets.size(), 1U);
  EXPECT_EQ(given.str(schedule.buckets.front()), "g h");
}

TEST(Arrange, ABucketIsSplitWhereALaunchNeedsAnother) {
  NamedProblem given = problemOf(R"(p input 0 makes 1
g launch 10 bytes 4 key 0 makes 4 needs p
h launch 10 bytes 4 key 0 makes 4 needs p
w wait completes g
a compute 20 makes 1 needs w
r launch 10 bytes 4 key 0 makes 4 needs a
s launch 10 bytes 4 key 0 makes 4 needs a
v wait completes r
x wait completes s
y wait completes h
o compute 0 needs v needs x needs y
)");
  Schedule schedule = arrange(given.problem, {placesOfSteps(11), {{1, 2, 5, 6}}});
  expectLegal(given.problem, schedule);
  ASSERT_EQ(schedule.buckets.size(), 2U);
  EXPECT_EQ(given.str(schedule.buckets[0]), "g h");
  EXPECT_EQ(given.str(schedule.buckets[1]), "r s");
}

// Each bucket alone is possible, and both together are not: a needs the first bucket, and feeds the second.
TEST(Arrange, TwoBucketsThatNeedEachOtherAreNotBothMade) {
  NamedProblem given = problemOf(R"(p input 0 makes 1
g launch 10 bytes 4 stream 0 key 0 makes 4 needs p
h launch 10 bytes 4 stream 1 key 1 makes 4 needs p
w wait completes g
v wait completes h
a compute 20 makes 1 needs w
b compute 20 makes 1 needs v
r launch 10 bytes 4 stream 1 key 1 makes 4 needs a
s launch 10 bytes 4 stream 0 key 0 makes 4 needs b
x wait completes r
y wait completes s
o compute 0 needs x needs y
)");
  Schedule schedule = arrange(given.problem, {placesOfSteps(12), {{1, 8}, {2, 7}}});
  expectLegal(given.problem, schedule);
  ASSERT_EQ(schedule.buckets.size(), 1U);
  EXPECT_EQ(given.str(schedule.buckets.front()), "h r");
}

TEST(Arrange, AnyPreferencesBecomeALegalOrder) {
  unsigned buckets = 0;
  std::mt19937_64 random(5);
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    Problem problem = mergeable(seed);
    Schedule schedule = arrange(problem, randomPreferences(problem, random));
    expectLegal(problem, schedule);
    buckets += schedule.buckets.size();
  }
  EXPECT_GE(buckets, 300U);
}

// The order of another scheduler is a start of the search.
TEST(Search, IsNoSlowerThanAKnownOrderThatFits) {
  unsigned fits = 0, gains = 0;
  std::mt19937_64 random(6);
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    Problem problem = mergeable(seed);
    Preferences known = randomPreferences(problem, random);
    Schedule order = measured(problem, arrange(problem, known));
    int64_t own = replay(problem, asItStands(problem)).peakBytes, without = unlimited;
    for (int64_t budget : {own, std::max(own, order.peakBytes)}) {
      Schedule found = search(problem, {budget, 1, 0, std::nullopt, known});
      without = search(problem, {budget, 1, 0}).picoseconds;
      EXPECT_EQ(replay(problem, found).total, found.picoseconds);
      EXPECT_LE(found.peakBytes, budget);
      EXPECT_LE(found.picoseconds, without) << "seed " << seed;
      fits += order.peakBytes <= budget;
      gains += found.picoseconds < without;
      if (order.peakBytes <= budget) {
        EXPECT_LE(found.picoseconds, order.picoseconds) << "seed " << seed;
      }
    }
  }
  EXPECT_GE(fits, 400U);
  EXPECT_GE(gains, 5U) << "known orders seldom help these programs";
}
