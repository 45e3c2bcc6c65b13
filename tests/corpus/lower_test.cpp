// Lowers every captured graph to a plan, or expects a refusal for content that a plan cannot hold: an unknown operator,
// or a group that the program computes. Each plan must survive writing and reading without loss.
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

/// A part of a graph's name, and the rule by which its lowering is refused.
struct Refused {
  llvm::StringLiteral name;
  llvm::StringLiteral rule;
};
constexpr Refused refused[] = {
    // torchtitan.deterministic_scatter_add
    {"deepseek", "lower.operator"},
    {"hop-cond", "lower.operator"},
    // compiled for any rank, so its groups are values
    {"fsdp2-tp4-one-rank", "lower.group"},
};

bool mayBeRefused(llvm::StringRef name, llvm::StringRef rule) {
  return llvm::any_of(refused, [&](const Refused &row) { return name.contains(row.name) && rule == row.rule; });
}

TEST(Lowering, MakesAPlanOfEveryCapturedGraph) {
  size_t plans = 0;
  for (const CapturedGraph &captured : capturedGraphs()) {
    auto [context, plan, refusal] = lowerCaptured(captured);
    EXPECT_TRUE(plan || mayBeRefused(captured.name, refusal))
        << captured.name << " " << captured.tag << ": " << refusal;
    plans += plan != nullptr;
    if (plan)
      expectSameFromFile(*plan, captured.name);
  }
  EXPECT_GT(plans, 0U);
}

} // namespace
} // namespace ccgraph::test
