// randomProblem: a small training step for the scheduler: a chain of computation in which each task may
// read a gathered parameter or an exchange of what came before, gradients beside the chain, and reductions of
// these. The order that it has is a naive one: each transfer is waited for at once.
//
// Ownership: a plain value. Fails never. Cost: linear in steps.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap::test {

/// `seed` decides all; `links` tasks in the chain, at least 1.
[[nodiscard]] Problem randomProblem(uint64_t seed, unsigned links);

} // namespace ccgraph::overlap::test
