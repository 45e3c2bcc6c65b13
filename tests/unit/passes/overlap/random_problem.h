// randomProblem returns a small training step for the scheduler: a chain of computation in which each task may read a
// gathered parameter or an exchange of earlier results, gradients beside the chain, and reductions of the gradients.
// Its order is naive: each collective is awaited immediately.
//
// Ownership: a plain value. Failure: none. Cost: linear in steps.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap::test {

/// `seed` determines everything; `links` is the number of tasks in the chain, at least 1. The chain ends earlier if the
/// program has `mostSteps` steps.
[[nodiscard]] Problem randomProblem(uint64_t seed, unsigned links, size_t mostSteps = 14);

} // namespace ccgraph::overlap::test
