// Builds a program and returns its plan as text, for tests of lowering.
#pragma once

#include "support/program_builder.h"

#include "ccgraph/passes/lower.h"

#include <gtest/gtest.h>

namespace ccgraph::test {

/// Returns the windows of a value, joined by commas: "x+3".
std::string valueText(const Plan &plan, const PlanValue &value);
/// Returns one line for each step: stream, work, the events that it waits for, its event.
std::string stepsText(const Plan &plan);

class LowerTest : public testing::Test {
protected:
  LowerTest() : graph_(context_), b(graph_) {
    Group group;
    group.name = "tp";
    group.ranks = {0, 1};
    graph_.groups().set(group);
  }

  /// Returns the steps of the plan, or the error.
  std::string lowered(const LoweringOptions &options = {}) {
    llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(graph_, options);
    if (!plan)
      return llvm::toString(plan.takeError());
    plan_ = std::move(*plan);
    return stepsText(*plan_);
  }

  Node *relu(Node *x) { return b.call("aten.relu.default", x->type(), {x}); }
  Node *reduce(Node *x) { return b.call("_c10d_functional.all_reduce.default", x->type(), {x, "sum", "tp"}); }
  Node *wait(Node *x) { return b.call("_c10d_functional.wait_tensor.default", x->type(), {x}); }
  Node *add(Node *x, Node *y) { return b.call("aten.add.Tensor", x->type(), {x, y}); }

  Context context_;
  Graph graph_;
  ProgramBuilder b;
  std::unique_ptr<Plan> plan_;
};

} // namespace ccgraph::test
