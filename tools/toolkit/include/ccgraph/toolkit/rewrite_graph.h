// rewriteGraph: one graph through a pipeline, or through what a schedule says, with the schedule of what was done where it is asked.
//
// Ownership: borrows everything for the call. Failure: that of runPipeline (on an error the graph is unspecified), a schedule for another
// graph, or a pipeline that no schedule says. Cost: that of the passes.
#pragma once

#include "ccgraph/passes/apply_schedule.h"
#include "ccgraph/passes/pass_manager.h"

namespace ccgraph {

struct RewriteRequest {
  const Pipeline &pipeline;
  /// which the pipeline applies (pipelineOf); its memory budget holds where the manager's options give none. Null: none
  const Schedule *schedule = nullptr;
  PassManagerOptions manager = {};
  bool makesSchedule = false;
};

struct RewriteResult {
  PipelineRun run;
  /// where one was asked for
  std::optional<Schedule> schedule;
};

[[nodiscard]] llvm::Expected<RewriteResult> rewriteGraph(Graph &graph, RewriteRequest request);

} // namespace ccgraph
