// Tests the plan verifier: it must accept a thousand legal plans, and refuse a thousand defects that SlowJudge
// confirms.
#include "ccgraph/ir/plan_verifier.h"
#include "plans/plan_defects.h"
#include "plans/random_plan.h"
#include "plans/slow_judge.h"
#include "support/lowered_plan.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

namespace ccgraph::test {
namespace {

constexpr size_t numTrials = 1000;

TEST(PlanTrials, NoLegalPlanIsRefused) {
  size_t steps = 0, waits = 0, shared = 0;
  for (uint64_t seed = 0; seed < numTrials; ++seed) {
    std::unique_ptr<PlanDraft> draft = makeRandomPlan(seed);
    ASSERT_EQ(slowVerdict(draft->plan), "") << "seed " << seed;
    ASSERT_EQ(toString(verifyPlan(draft->plan)), "") << "seed " << seed;
    steps += draft->plan.steps.size();
    int64_t bytes = 0;
    for (const PlanStep &step : draft->plan.steps)
      waits += step.waits.size();
    for (const PlanBuffer &buffer : draft->plan.buffers)
      bytes += buffer.home == Home::Compute ? buffer.bytes.value() : 0;
    shared += bytes > draft->plan.layout.computeBytes;
  }
  std::printf("  %zu plans of %zu steps, %zu waits; %zu whose buffers share bytes\n", numTrials, steps, waits, shared);
  EXPECT_GT(steps, 15 * numTrials);
  EXPECT_GT(waits, 3 * numTrials);
  EXPECT_GT(shared, numTrials / 2);
}

struct Tally {
  size_t tried = 0;
  size_t harmless = 0;
  std::map<std::string, size_t> rules; ///< counts by the first reported rule
};

using Tallies = std::map<std::string, Tally>;

/// Breaks the plan, and compares the verifier with the judge in both directions: a plan that the judge finds sound must
/// pass too. Returns true if there was a defect.
bool tryDefect(Plan &plan, uint64_t seed, Tallies &tallies) {
  const PlanDefect &defect = planDefects()[seed % planDefects().size()];
  Random random(seed);
  if (!defect.apply(plan, random))
    return false;
  Tally &tally = tallies[defect.name.str()];
  std::string verdict = slowVerdict(plan);
  std::vector<Diagnostic> found = verifyPlan(plan);
  EXPECT_EQ(verdict.empty(), found.empty()) << "seed " << seed << ", " << defect.name.str() << ": " << verdict << "\n"
                                            << toString(found);
  tally.harmless += verdict.empty();
  tally.tried += !verdict.empty();
  if (!found.empty())
    ++tally.rules[found.front().rule];
  return !verdict.empty();
}

void print(const Tallies &tallies) {
  for (const auto &[name, tally] : tallies) {
    std::printf("  %-36s %3zu refused, %3zu did no harm ", name.c_str(), tally.tried, tally.harmless);
    for (const auto &[rule, count] : tally.rules)
      std::printf(" %s: %zu", rule.c_str(), count);
    std::printf("\n");
  }
}

void expectAllKinds(const Tallies &tallies) {
  EXPECT_EQ(tallies.size(), planDefects().size());
  for (const auto &[name, tally] : tallies)
    EXPECT_GT(tally.tried, 0U) << name;
}

TEST(PlanTrials, EveryDefectIsRefused) {
  Tallies tallies;
  size_t tried = 0;
  for (uint64_t seed = 0; tried < numTrials && seed < 20 * numTrials && !HasFailure(); ++seed)
    tried += tryDefect(makeRandomPlan(seed)->plan, seed, tallies);
  EXPECT_EQ(tried, numTrials);
  print(tallies);
  expectAllKinds(tallies);
}

/// Returns the captured graphs whose plans are small enough for the judge.
std::vector<CapturedGraph> smallGraphs() {
  constexpr size_t mostSteps = 120;
  std::vector<CapturedGraph> graphs = capturedGraphs("small");
  llvm::erase_if(graphs, [](const CapturedGraph &captured) {
    LoweredPlan lowered = lowerCaptured(captured);
    return !lowered.plan || lowered.plan->steps.size() > mostSteps || lowered.plan->streams.size() < 3;
  });
  return graphs;
}

TEST(PlanTrials, TheJudgeFindsLoweredPlansSound) {
  for (const CapturedGraph &captured : smallGraphs())
    EXPECT_EQ(slowVerdict(*lowerCaptured(captured).plan), "") << captured.name << captured.tag;
}

TEST(PlanTrials, EveryDefectOfALoweredPlanIsRefused) {
  std::vector<CapturedGraph> graphs = smallGraphs();
  ASSERT_GT(graphs.size(), 50U);
  Tallies tallies;
  size_t tried = 0;
  for (uint64_t seed = 0; tried < numTrials && seed < 20 * numTrials && !HasFailure(); ++seed) {
    Random random(seed + 1);
    LoweredPlan lowered = lowerCaptured(random.of(graphs), {.separateCommunication = random.below(2) == 0});
    tried += tryDefect(*lowered.plan, seed, tallies);
  }
  EXPECT_EQ(tried, numTrials);
  print(tallies);
  expectAllKinds(tallies);
}

} // namespace
} // namespace ccgraph::test
