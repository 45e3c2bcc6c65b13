// The plan verifier, tried: a thousand legal plans, none refused, and a thousand defects that SlowJudge confirms, each refused.
#include "ccgraph/ir/plan_verifier.h"
#include "plans/plan_defects.h"
#include "plans/random_plan.h"
#include "plans/slow_judge.h"

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
  std::map<std::string, size_t> rules; ///< that was named first
};

TEST(PlanTrials, EveryDefectIsRefused) {
  std::map<std::string, Tally> tallies;
  size_t tried = 0;
  for (uint64_t seed = 0; tried < numTrials && seed < 20 * numTrials; ++seed) {
    const PlanDefect &defect = planDefects()[seed % planDefects().size()];
    std::unique_ptr<PlanDraft> draft = makeRandomPlan(seed);
    Random random(seed);
    if (!defect.apply(draft->plan, random))
      continue;
    Tally &tally = tallies[defect.name.str()];
    std::string verdict = slowVerdict(draft->plan);
    std::vector<Diagnostic> found = verifyPlan(draft->plan);
    // Both ways: what the judge finds sound must pass too.
    ASSERT_EQ(verdict.empty(), found.empty()) << "seed " << seed << ", " << defect.name.str() << ": " << verdict << "\n"
                                              << toString(found);
    if (verdict.empty()) {
      ++tally.harmless;
      continue;
    }
    ++tally.tried;
    ++tried;
    ++tally.rules[found.front().rule];
  }
  EXPECT_EQ(tried, numTrials);
  EXPECT_EQ(tallies.size(), planDefects().size());
  for (const auto &[name, tally] : tallies) {
    std::printf("  %-36s %3zu refused, %3zu did no harm ", name.c_str(), tally.tried, tally.harmless);
    for (const auto &[rule, count] : tally.rules)
      std::printf(" %s: %zu", rule.c_str(), count);
    std::printf("\n");
    EXPECT_GT(tally.tried, 0U) << name;
  }
}

} // namespace
} // namespace ccgraph::test
