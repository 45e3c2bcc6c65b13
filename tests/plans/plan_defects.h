// Edits that break a sound plan, each of one kind, at a place that chance chooses.
//
// An edit covers its tracks: events that nobody waits for any more are taken away, and arenas grow, so that it is the
// defect itself that must be found. Not every edit is a defect (a step that is moved may do no harm where it is): SlowJudge
// says.
//
// Ownership: a plan is changed in place. Failure: an edit says no where it finds no place; the plan may have changed all
// the same. Cost: linear in the steps.
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
