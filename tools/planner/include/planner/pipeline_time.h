// Time and memory of a training step over a pipeline, from the costs of its stages and the schedule.
//
// A rank gathers the weights of its stages, runs the actions of its schedule in their order, and then reduces gradients
// and steps the optimizer. An action begins when the rank has ended the one before, and the value that it needs has
// arrived: the states of the stage before, or the gradient of the stage after. Transfers do not delay computation of
// their ranks. The step ends with the last rank. Its *bubble* is the time for which the last rank to end waits for
// values of other ranks.
//
// On each rank, memory is what it holds for the whole step (parameters, optimizer, gathered weights, sums of
// gradients), what each microbatch in flight has saved, and what the forward or backward that runs needs.
//
// Every result is monotone in every cost, so lower bounds of costs give lower bounds.
//
// Ownership: plain values. Failure: none; the schedule satisfies verifyPipelineSchedule and has no transfers. Cost:
// linear in the actions, times the rounds that the ranks need to wait for one another.
#pragma once

#include "planner/stage_costs.h"

#include "ccgraph/ir/pipeline_schedule.h"

namespace ccgraph::planner {

struct PipelineTime {
  int64_t stepPs = 0;
  /// of the rank that ends last
  int64_t bubblePs = 0;
  int64_t exposedPs = 0;
  /// by rank: the step without waiting for other ranks
  std::vector<int64_t> busyPs = {};
};

/// `times` has an entry for each stage. Of the rank that ends last, PipelineTime::exposedPs sums `exposed`.
struct PipelineCosts {
  std::vector<StageTimes> times;
  std::vector<StageTimes> exposed;
};
[[nodiscard]] PipelineTime pipelineTime(const PipelineSchedule &schedule, const PipelineCosts &costs);

/// Returns the bytes of the rank that needs most.
[[nodiscard]] int64_t pipelineMemory(const PipelineSchedule &schedule, const std::vector<StageMemory> &stages);

/// Returns a time that no rank undercuts in any order: a rank runs all its parts after the first microbatch has
/// arrived.
[[nodiscard]] int64_t busiestRankTime(const models::PipelineRequest &request, const std::vector<StageTimes> &times);
/// Returns bytes below which no schedule is, of the rank that needs most: one microbatch in flight, and the sums of
/// gradients at the end.
[[nodiscard]] int64_t leastPipelineMemory(const models::PipelineRequest &request,
                                          const std::vector<StageMemory> &stages);

} // namespace ccgraph::planner
