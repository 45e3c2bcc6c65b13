// RandomPlan makes a legal plan without lowering a graph.
//
// Steps are drawn first: kernels that make, change and draw values, copies, collectives of all kinds over several
// groups, transfers and batches of them, reads by the host. Then each buffer is placed on any bytes that no other live
// buffer uses, so that buffers share much memory. Last, the waits are set: each step waits for every conflicting
// earlier step that has not completed by then, latest first, found by comparing all pairs. Some waits are moved to an
// earlier step of the stream, where they may be valid too.
//
// The same seed makes the same plan on every machine. Ownership: the caller owns the plan. Failure: none. Cost: that of
// SlowJudge.
#pragma once

#include "support/plan_draft.h"

namespace ccgraph::test {

[[nodiscard]] std::unique_ptr<PlanDraft> makeRandomPlan(uint64_t seed);

/// Adds the fewest events that order all conflicts, to steps without events.
void orderByAllPairs(Plan &plan);
/// Removes events that no step waits for, and renumbers the others.
void dropIdleEvents(Plan &plan);

} // namespace ccgraph::test
