// Tests that trial schedules and searches that are recorded are those that would be computed again.
#include "schedule/overlap/starts.h"
#include "schedule/overlap/trial_record.h"
#include "schedule/pass_search.h"
#include "unit/passes/overlap/random_problem.h"

#include "ccgraph/ir/builder.h"

#include <gtest/gtest.h>

using namespace ccgraph::overlap;
using namespace ccgraph::overlap::test;

namespace {

constexpr unsigned programs = 40, links = 6;

Attempt attemptWith(int64_t budget) {
  Attempt attempt;
  attempt.policy = {.budget = budget, .prefetchBytes = 512, .lastingBytes = 512, .keepBack = 1000};
  return attempt;
}

void expectSame(const Schedule &one, const Schedule &other, uint64_t seed) {
  EXPECT_EQ(one.order, other.order) << "seed " << seed;
  EXPECT_EQ(one.buckets, other.buckets) << "seed " << seed;
  EXPECT_EQ(one.picoseconds, other.picoseconds) << "seed " << seed;
  EXPECT_EQ(one.peakBytes, other.peakBytes) << "seed " << seed;
}

} // namespace

TEST(Trial, IsTheSameForEachBudgetOfItsRange) {
  size_t limited = 0;
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    const Problem problem = randomProblem(seed, links);
    const Starts starts(problem);
    const int64_t peak = starts.schedules().front().peakBytes;
    for (int64_t percent : {60, 80, 100, 120}) {
      const Trial trial = starts.bases()[0]->walkWith(attemptWith(peak * percent / 100).policy);
      ASSERT_TRUE(trial.budgets.contains(peak * percent / 100));
      limited += trial.budgets.end <= 2 * peak;
      for (int64_t budget : {std::max<int64_t>(trial.budgets.least, 1), std::min(trial.budgets.end - 1, 4 * peak)})
        expectSame(trial.schedule, starts.bases()[0]->walkWith(attemptWith(budget).policy).schedule, seed);
    }
  }
  EXPECT_GT(limited, programs) << "memory limits too few trial schedules for this test";
}

TEST(TrialRecord, FindsAResultInItsRangeAndForItsPolicyOnly) {
  TrialRecord record;
  record.add(attemptWith(100), {90, 110}, {7, 95});
  EXPECT_EQ(record.find(attemptWith(90))->picoseconds, 7);
  EXPECT_EQ(record.find(attemptWith(109))->peakBytes, 95);
  EXPECT_FALSE(record.find(attemptWith(110)));
  EXPECT_FALSE(record.find(attemptWith(89)));
  Attempt other = attemptWith(100);
  other.policy.keepBack = 0;
  EXPECT_FALSE(record.find(other));
  EXPECT_EQ(record.kept(attemptWith(100)), nullptr);
  record.keep(attemptWith(100), {{2, 1}, {}, 7, 95});
  EXPECT_EQ(record.kept(attemptWith(91))->order.front(), 2U);
}

TEST(TrialRecord, ASearchWithARecordFindsTheSameSchedule) {
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    const Problem problem = randomProblem(seed, links);
    const int64_t peak = Starts(problem).schedules().front().peakBytes;
    TrialRecord record;
    for (unsigned walks : {40, 16, 40})
      expectSame(search(problem, {.budget = peak * 3 / 2, .maxWalks = walks}),
                 search(problem, {.budget = peak * 3 / 2, .maxWalks = walks}, record), seed);
  }
}

namespace {

std::string keyOf(const Problem &problem, const SearchOptions &options) {
  return ccgraph::SearchRecord::keyOf(ccgraph::SearchRecord::keyOf(problem, {}), options);
}

} // namespace

TEST(SearchRecord, AnswersForTheSameNumbersAndOptions) {
  const Problem program = randomProblem(1, links);
  ccgraph::SearchRecord record;
  const SearchOptions options{.budget = 1000};
  record.add(keyOf(program, options), {{1000, {{3, 2, 1}, {}, 5, 6}}});
  EXPECT_EQ(ccgraph::searchRecorded(record, {program, {}}, options, ccgraph::Effort::Once).picoseconds, 5);
  EXPECT_EQ(record.find(keyOf(program, options), 1001), nullptr);
  EXPECT_NE(keyOf(program, {.maxWalks = 17}), keyOf(program, options));
  Problem other = randomProblem(1, links);
  EXPECT_EQ(keyOf(other, options), keyOf(program, options));
  ++other.steps.back().picoseconds;
  EXPECT_NE(keyOf(other, options), keyOf(program, options));
}

TEST(SearchRecord, AThoroughSearchTakesTheUsualOneFromTheRecord) {
  const Problem program = randomProblem(1, links);
  ccgraph::SearchRecord record;
  const SearchOptions longer{.budget = 1'000'000, .maxWalks = 40}, usual{.budget = 1'000'000, .maxWalks = 16};
  record.add(keyOf(program, usual), {{usual.budget, {{3, 2, 1}, {}, 5, 6}}});
  auto found = [&](const SearchOptions &options, ccgraph::Effort effort) {
    return ccgraph::searchRecorded(record, {program, {}}, options, effort).picoseconds;
  };
  EXPECT_EQ(found(longer, ccgraph::Effort::Thorough), 5);
  EXPECT_GT(found(longer, ccgraph::Effort::Once), 5);
}

// A pass may remove a collective and give its name to another one of the same bytes and time. Within a bucket, the two
// take different times.
TEST(SearchRecord, TellsCollectivesOfOneNameApart) {
  const Problem program = randomProblem(1, links);
  auto keyWith = [&](llvm::StringRef target, std::vector<ccgraph::Actual> arguments) {
    ccgraph::Context context;
    ccgraph::Graph graph(context);
    ccgraph::GraphBuilder builder(graph);
    arguments.insert(arguments.begin(), builder.input("x", builder.tensor(ccgraph::DType::F32, {8})));
    ccgraph::CallSpec spec{.target = target, .args = std::move(arguments)};
    spec.name = "c";
    ccgraph::Node *nodes[] = {builder.call(spec)};
    return ccgraph::SearchRecord::keyOf(program, nodes);
  };
  const std::string gathered = keyWith("_c10d_functional.all_gather_into_tensor", {2, "0"});
  EXPECT_EQ(keyWith("_c10d_functional.all_gather_into_tensor", {2, "0"}), gathered);
  EXPECT_NE(keyWith("_c10d_functional.all_gather_into_tensor", {2, "1"}), gathered);
  EXPECT_NE(keyWith("_c10d_functional.all_reduce", {"sum", "0"}), gathered);
}

// The passes that choose nodes ask for the results of smaller budgets.
TEST(SearchByBudget, FindsWhatASearchWithEachBudgetFinds) {
  size_t smaller = 0;
  for (uint64_t seed = 1; seed <= programs; ++seed) {
    const Problem problem = randomProblem(seed, links);
    const int64_t peak = Starts(problem).schedules().front().peakBytes;
    for (size_t beam : {0, 64}) {
      TrialRecord record, others;
      for (const BudgetResult &it : searchByBudget(problem, {.budget = 2 * peak + 1, .beamWidth = beam}, record)) {
        expectSame(it.schedule, search(problem, {.budget = it.budget, .beamWidth = beam}, others), seed);
        smaller += it.budget < 2 * peak;
      }
    }
  }
  EXPECT_GT(smaller, 5 * programs) << "few smaller budgets are met";
}
