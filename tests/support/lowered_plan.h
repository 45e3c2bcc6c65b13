// LoweredPlan holds the plan of a captured graph for tests.
//
// Ownership: owns context and plan. Failure: `refusal` is the rule by which lowering refuses the graph. Cost: reading,
// passes and lowering.
#pragma once

#include "support/corpus.h"

#include "ccgraph/ir/plan.h"

#include <memory>

namespace ccgraph::test {

struct LoweredPlan {
  std::unique_ptr<Context> context;
  /// null if refused
  std::unique_ptr<Plan> plan;
  std::string refusal;
};

struct PlanWanted {
  /// 0: the unchanged graph
  unsigned level = 0;
  bool separateCommunication = false;
};

[[nodiscard]] LoweredPlan lowerCaptured(const CapturedGraph &captured, PlanWanted wanted = {});

} // namespace ccgraph::test
