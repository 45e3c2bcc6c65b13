// Random plans contain everything that a Plan can hold, in any combination, without regard to what it would compute.
//
// They test readers and writers, which must accept whatever the type permits; the verifier would refuse nearly all of
// them. Indices are within their lists, and every event and number is used at most as often as plan.h permits.
//
// planDifference compares two plans of one Context field by field.
//
// Ownership: the plan is the caller's, and lives in the context. Ownership: the caller owns the plan, which lives in
// the context. Cost: some 30 steps a plan.
#pragma once

#include "ccgraph/ir/plan.h"

#include <memory>
#include <string>

namespace ccgraph::test {

/// Returns the same plan for the same seed, on every machine.
[[nodiscard]] std::unique_ptr<Plan> makeRandomPlan(Context &context, uint64_t seed);

/// Returns the first field that differs; empty if they are equal.
[[nodiscard]] std::string planDifference(const Plan &a, const Plan &b);

} // namespace ccgraph::test
