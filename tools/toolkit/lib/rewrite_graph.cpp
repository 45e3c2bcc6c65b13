#include "ccgraph/toolkit/rewrite_graph.h"

namespace ccgraph {
namespace {

void takeBudget(const Schedule &schedule, PassManagerOptions &manager) {
  if (!manager.limitMemory || manager.hasBudget())
    return;
  manager.memoryBudget = schedule.memoryBudget;
  manager.limitMemory = schedule.memoryBudget.has_value();
}

} // namespace

llvm::Expected<RewriteResult> rewriteGraph(Graph &graph, RewriteRequest request) {
  if (request.schedule) {
    if (llvm::Error error = checkSchedule(*request.schedule, graph))
      return error;
    takeBudget(*request.schedule, request.manager);
  }
  std::optional<ScheduleRecorder> recorder;
  if (request.makesSchedule) {
    recorder.emplace(graph);
    request.manager.onRewrite = [&](const Pass &pass, const Certificate &certificate) {
      recorder->note(pass, certificate);
    };
  }
  RewriteResult result;
  llvm::Expected<PipelineRun> run = runPipeline(graph, request.pipeline, request.manager);
  if (!run)
    return run.takeError();
  result.run = std::move(*run);
  if (!recorder)
    return result;
  llvm::Expected<Schedule> schedule = recorder->take(graph, result.run.memoryBudget);
  if (!schedule)
    return schedule.takeError();
  result.schedule = std::move(*schedule);
  return result;
}

} // namespace ccgraph
