// rewriteGraph rewrites one graph by a pipeline or a schedule, and returns the schedule of the changes if requested.
//
// Ownership: borrows everything for the call. Failure: an error of runPipeline (after which the graph is unspecified),
// a schedule for another graph, or a pipeline that a schedule cannot represent. Cost: that of the passes.
#pragma once

#include "ccgraph/passes/apply_schedule.h"
#include "ccgraph/passes/pass_manager.h"

namespace ccgraph {

struct RewriteRequest {
  const Pipeline &pipeline;
  /// the schedule that the pipeline applies (pipelineOf); its memory budget is used if the manager's options have none.
  /// Null: none
  const Schedule *schedule = nullptr;
  PassManagerOptions manager = {};
  bool makesSchedule = false;
};

struct RewriteResult {
  PipelineRun run;
  /// the schedule, if requested
  std::optional<Schedule> schedule;
};

[[nodiscard]] llvm::Expected<RewriteResult> rewriteGraph(Graph &graph, RewriteRequest request);

} // namespace ccgraph
