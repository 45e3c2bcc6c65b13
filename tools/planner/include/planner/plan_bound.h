// PlanBound: a lower bound of a candidate's step time and memory, before its program is generated.
//
// The bound comes from two programs with few layers, whose equal layers give the growth with each further layer. Of a
// program, it takes the largest of three times:
//   compute   the sum of all computation, which is one stream
//   stream    the sum of a group's collectives, each at the best rate that any merging gives
//             (CostModel::collectivePieces), since a group is one stream
//   path      the longest chain of nodes that read one another
// All three hold for any order and any merging. Repeated collectives count once, since a pass may remove them, and
// only then is the rest measured. Each is linear in the layers or grows faster with more layers (a maximum of linear
// functions), so the line through two sizes is below it.
//
// Memory is the floor of StepBounds, which no order of the program undercuts, extended in the same way.
//
// Ownership: plain values. Failure: an error of the generator, or of the passes. Cost: four small programs, some
// milliseconds each.
#pragma once

#include "planner/plan_space.h"

#include "ccgraph/ir/machine.h"

namespace ccgraph::planner {

struct PlanBound {
  /// of the whole step, all its microbatches
  int64_t picoseconds = 0;
  /// of one rank
  int64_t bytes = 0;
};

[[nodiscard]] llvm::Expected<PlanBound> boundOf(const PlanJob &job, const PlanCandidate &candidate,
                                                const Machine &machine);

/// Returns the bytes of the optimizer's state that a program without optimizer does not contain, but the rank holds.
[[nodiscard]] int64_t optimizerStateBytes(const Graph &step);

} // namespace ccgraph::planner
