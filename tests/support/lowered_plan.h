// LoweredPlan: the plan of a captured graph, as tests ask for it.
//
// Ownership: owns context and plan. Failure: by `refusal`, the rule by which the lowering refuses the graph. Cost: reading,
// passes and lowering.
#pragma once

#include "support/corpus.h"

#include "ccgraph/ir/plan.h"

#include <memory>

namespace ccgraph::test {

struct LoweredPlan {
  std::unique_ptr<Context> context;
  /// null where refused
  std::unique_ptr<Plan> plan;
  std::string refusal;
};

struct PlanWanted {
  /// 0: the graph as it is
  unsigned level = 0;
  bool separateCommunication = false;
};

[[nodiscard]] LoweredPlan lowerCaptured(const CapturedGraph &captured, PlanWanted wanted = {});

} // namespace ccgraph::test
