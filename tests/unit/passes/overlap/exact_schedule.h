// exactSchedule: the least time in which the steps of a small problem can run within a budget, by looking at
// every order.
//
// The oracle of the scheduler's tests. What is alive depends on which steps were issued and not on their
// order, so sets of issued steps are the states; each keeps the moments (of computation, of each stream,
// of each landing that is still to be waited for) that no other way to the same set beats in all of
// them. No buckets.
//
// Ownership: plain values. Failure: empty where no order fits the budget, or where there are more than
// 20 steps. Cost: exponential in steps.
#pragma once

#include "schedule/overlap/problem.h"

#include <optional>

namespace ccgraph::overlap::test {

/// Picoseconds.
[[nodiscard]] std::optional<int64_t> exactSchedule(const Problem &problem, int64_t budget);

} // namespace ccgraph::overlap::test
