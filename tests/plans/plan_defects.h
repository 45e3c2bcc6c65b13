// Edits that break a sound plan, each in one way, at a random place.
//
// An edit repairs what would reveal it otherwise: it removes events without a waiting step and enlarges arenas, so that
// the verifier must find the defect itself. Some edits are no defects (a moved step may be correct at its new
// position): SlowJudge decides.
//
// Ownership: a plan is changed in place. Failure: an edit returns false if it finds no place; the plan may have changed
// nevertheless. Cost: linear in the steps.
#pragma once

#include "ccgraph/ir/plan.h"
#include "support/random.h"

namespace ccgraph::test {

struct PlanDefect {
  llvm::StringRef name;
  bool (*apply)(Plan &plan, Random &random);
};

[[nodiscard]] llvm::ArrayRef<PlanDefect> planDefects();

} // namespace ccgraph::test
