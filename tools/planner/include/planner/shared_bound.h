// A lower bound that many candidates share, so that most candidates need no program of their own.
//
// The parts of the whole model as one stage (stage_programs.h) depend on few choices each. Forward and backward depend
// on tensor, expert and context ranks, the microbatch and what is recomputed; gathers, reductions and the optimizer
// depend on replicas, shards, tensor and expert ranks. A candidate contains them all:
//
//   without a pipeline   A microbatch takes at least its computation, its longest chain, and the collectives of each
//                        group, gathers and reductions included. A rank holds its parameters, their optimizer's
//                        state, and the values of a microbatch.
//   with a pipeline      The busiest rank takes at least the mean of the ranks: all microbatches and update, divided
//                        by the ranks. The largest holds at least the mean of parameters, state, gathered weights and
//                        sums of gradients.
//
// Ownership: plain values. Failure: an error of the generator, or of the passes. Cost: that of new stages
// (stage_costs.h).
#pragma once

#include "planner/plan_bound.h"
#include "planner/stage_costs.h"

namespace ccgraph::planner {

/// Not above the bound of the candidate's own programs. Zero for models with tied weights and for losses in pieces,
/// which have no stages.
[[nodiscard]] llvm::Expected<PlanBound> sharedBoundOf(const PlanJob &job, const PlanCandidate &candidate,
                                                      StageCatalog &catalog);

} // namespace ccgraph::planner
