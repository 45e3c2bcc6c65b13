// Every captured graph becomes a plan, or is refused for what a plan cannot hold: a subgraph, an operator that nobody knows, a
// group that the program computes. A plan is a file and back without loss.
#include "support/corpus.h"
#include "support/random_plan.h"

#include "ccgraph/frontend/json_plan.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/toolkit/graph_files.h"

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

/// The rule by which lowering refuses it; "" where it does not.
std::string refusalOf(const CapturedGraph &captured) {
  Context context;
  llvm::Expected<std::unique_ptr<Graph>> graph = loadGraph(context, captured.readable);
  if (!graph)
    return "unread: " + llvm::toString(graph.takeError());
  if (llvm::Error error = captured.facts.empty() ? llvm::Error::success() : addGroups(**graph, captured.facts))
    return "no groups: " + llvm::toString(std::move(error));
  LoweringOptions options;
  if (llvm::Expected<ObjectMeanings> objects = loadObjects(captured.facts))
    options.objects = std::move(*objects);
  else
    llvm::consumeError(objects.takeError());
  llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(**graph, options);
  std::string rule;
  if (plan)
    expectSameFromFile(**plan, captured.name);
  else
    llvm::handleAllErrors(plan.takeError(),
                          [&](const DiagnosticError &error) { rule = error.diagnostics().front().rule; });
  return rule;
}

TEST(Lowering, MakesAPlanOfEveryCapturedGraph) {
  size_t graphs = 0, plans = 0;
  for (const CapturedGraph &captured : capturedGraphs()) {
    ++graphs;
    std::string refusal = refusalOf(captured);
    plans += refusal.empty();
    EXPECT_TRUE(refusal.empty() || refusal == "lower.operator" || refusal == "lower.group")
        << captured.name << " " << captured.tag << ": " << refusal;
  }
  EXPECT_GE(plans * 10, graphs * 9);
}

} // namespace
} // namespace ccgraph::test
