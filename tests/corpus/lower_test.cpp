// Every captured graph becomes a plan, or is refused for what a plan cannot hold: a subgraph, an operator that nobody knows, a
// group that the program computes. A plan is a file and back without loss.
#include "support/lowered_plan.h"
#include "support/random_plan.h"

#include "ccgraph/frontend/json_plan.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

void expectSameFromFile(const Plan &plan, const std::string &name) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePlan(os, plan);
  auto again = readPlan(plan.context(), {name, os.str()});
  ASSERT_TRUE(static_cast<bool>(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(planDifference(plan, **again), "") << name;
}

TEST(Lowering, MakesAPlanOfEveryCapturedGraph) {
  size_t graphs = 0, plans = 0;
  for (const CapturedGraph &captured : capturedGraphs()) {
    ++graphs;
    auto [context, plan, refusal] = lowerCaptured(captured);
    plans += refusal.empty();
    EXPECT_TRUE(refusal.empty() || refusal == "lower.operator" || refusal == "lower.group")
        << captured.name << " " << captured.tag << ": " << refusal;
    if (plan)
      expectSameFromFile(*plan, captured.name);
  }
  EXPECT_GE(plans * 10, graphs * 9);
}

} // namespace
} // namespace ccgraph::test
