// RandomPlan: a legal plan, made without lowering anything.
//
// Steps are drawn first: kernels that make, change and draw, copies, collectives of all kinds over several groups,
// transfers and batches of them, reads by the host. Then each buffer is placed on any bytes that no other buffer in use
// has, so that memory is shared a lot, and last the waits are set: each step waits, latest first, for every conflicting
// earlier step that has not ended by then, found by all pairs. Some waits are moved to an earlier step of the stream, where
// they may serve as well.
//
// The same seed makes the same plan on every machine. Ownership: the caller's. Failure: none. Cost: that of SlowJudge.
#pragma once

#include "support/plan_draft.h"

namespace ccgraph::test {

[[nodiscard]] std::unique_ptr<PlanDraft> makeRandomPlan(uint64_t seed);

/// Gives the steps the fewest events that order all conflicts, from none.
void orderByAllPairs(Plan &plan);
/// Takes away events for which nobody waits, and numbers the others anew.
void dropIdleEvents(Plan &plan);

} // namespace ccgraph::test
