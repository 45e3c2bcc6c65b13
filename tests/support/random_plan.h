// Random plans: everything that a Plan can hold, in any mixture, with no regard to what it would compute.
//
// For readers and writers, which must take whatever the type allows; the verifier would refuse nearly all of them.
// Indices are within their lists, and every event and number is used at most as often as plan.h has it.
//
// planDifference compares two plans of one Context field by field.
//
// Ownership: the plan is the caller's, and lives in the context. Failure: none. Cost: some 30 steps a plan.
#pragma once

#include "ccgraph/ir/plan.h"

#include <memory>
#include <string>

namespace ccgraph::test {

/// The same plan for the same seed, on every machine.
[[nodiscard]] std::unique_ptr<Plan> makeRandomPlan(Context &context, uint64_t seed);

/// The first field in which they differ; empty where they are equal.
[[nodiscard]] std::string planDifference(const Plan &a, const Plan &b);

} // namespace ccgraph::test
