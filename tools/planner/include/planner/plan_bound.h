// PlanBound: a lower bound of a candidate's step time and memory, before its program is generated.
//
// Each program is bounded by the same program with few layers (program_bound.h). A pipeline is bounded by the parts of
// its stages (pipeline_plan.h).
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

/// Of a candidate without a pipeline.
struct StepPlanBound {
  PlanBound whole;
  /// of the last microbatch
  int64_t lastPs = 0;
  /// bytes of the optimizer's state, which the programs of the other microbatches do not contain
  int64_t optimizerBytes = 0;
};

[[nodiscard]] llvm::Expected<StepPlanBound> boundOf(const PlanJob &job, const PlanCandidate &candidate,
                                                    const Machine &machine);

/// Returns the bytes of the optimizer's state that a program without optimizer does not contain, but the rank holds.
[[nodiscard]] int64_t optimizerStateBytes(const Graph &step);

} // namespace ccgraph::planner
