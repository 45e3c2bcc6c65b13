// StepCost: what an evaluation of both steps at their own sizes takes.
//
// Counted from the types alone, before anything is evaluated: the most values of each program that are alive at once,
// its inputs among them, where views share their operand. All ranks advance together, so their live values
// add up. The time is that of one trial on one core: a multiplication takes about 2 ns, an element of another operator
// about 30 ns (ring.h).
//
// Ownership: plain values. Failure: none; values of unknown size count as nothing. Cost: linear in the nodes of the
// different graphs.
#pragma once

#include "ccgraph/equality/same_step.h"

namespace ccgraph::equality {

struct StepCost {
  int64_t bytes = 0;
  double seconds = 0;
};

[[nodiscard]] StepCost costOf(const StepComparison &comparison);

} // namespace ccgraph::equality
