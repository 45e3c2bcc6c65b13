// Tests that every plan of a captured graph is sound, both unchanged and after -O2.
#include "support/lowered_plan.h"

#include "ccgraph/ir/plan_verifier.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace ccgraph::test {
namespace {

void verifyAll(PlanWanted wanted) {
  size_t graphs = 0, plans = 0, steps = 0;
  for (const CapturedGraph &captured : capturedGraphs()) {
    ++graphs;
    LoweredPlan lowered = lowerCaptured(captured, wanted);
    if (!lowered.plan)
      continue;
    ++plans;
    steps += lowered.plan->steps.size();
    EXPECT_EQ(toString(verifyPlan(*lowered.plan, {.limit = 3})), "") << captured.name << captured.tag;
  }
  std::printf("  %zu of %zu graphs, %zu steps\n", plans, graphs, steps);
  EXPECT_GE(plans * 10, graphs * 9);
}

TEST(LoweredPlans, AreSound) { verifyAll({}); }
TEST(LoweredPlans, AreSoundWithAnArenaOfCommunication) { verifyAll({.separateCommunication = true}); }
TEST(LoweredPlans, AreSoundAfterTheLevelTwoPasses) { verifyAll({.level = 2}); }

} // namespace
} // namespace ccgraph::test
