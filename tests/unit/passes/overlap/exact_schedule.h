// exactSchedule finds the least time in which the steps of a small problem can run within a budget, by trying every
// order.
//
// It is the oracle of the scheduler's tests. The live bytes depend on which steps were issued and not on their order,
// so the states are sets of issued steps. Each state keeps the times (of computation, of each stream, of each
// completion that a wait still needs) that no other path to the same set improves in all of them. It makes no buckets.
//
// Ownership: plain values. Failure: empty if no order fits the budget, or if there are more than 20 steps. Cost:
// exponential in steps.
#pragma once

#include "schedule/overlap/problem.h"

#include <optional>

namespace ccgraph::overlap::test {

/// Returns picoseconds.
[[nodiscard]] std::optional<int64_t> exactSchedule(const Problem &problem, int64_t budget);

} // namespace ccgraph::overlap::test
