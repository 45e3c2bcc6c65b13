#include "support/lowered_plan.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/passes/lower.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/toolkit/graph_files.h"

namespace ccgraph::test {
namespace {

std::string ruleOf(llvm::Error error) {
  std::string rule;
  llvm::handleAllErrors(
      std::move(error), [&](const DiagnosticError &found) { rule = found.diagnostics().front().rule; },
      [&](const llvm::ErrorInfoBase &other) { rule = other.message(); });
  return rule;
}

llvm::Expected<std::unique_ptr<Graph>> read(Context &context, const CapturedGraph &captured, unsigned level) {
  llvm::Expected<std::unique_ptr<Graph>> graph = loadGraph(context, captured.readable);
  if (!graph)
    return graph;
  if (llvm::Error error = captured.facts.empty() ? llvm::Error::success() : addGroups(**graph, captured.facts))
    return error;
  if (level > 0)
    if (llvm::Expected<PipelineRun> run = runPipeline(**graph, pipelineOfLevel(level)); !run)
      return run.takeError();
  return graph;
}

} // namespace

LoweredPlan lowerCaptured(const CapturedGraph &captured, PlanWanted wanted) {
  LoweredPlan lowered{std::make_unique<Context>(), nullptr, ""};
  llvm::Expected<std::unique_ptr<Graph>> graph = read(*lowered.context, captured, wanted.level);
  if (!graph) {
    lowered.refusal = ruleOf(graph.takeError());
    return lowered;
  }
  LoweringOptions options;
  options.separateCommunication = wanted.separateCommunication;
  if (llvm::Expected<ObjectMeanings> objects = loadObjects(captured.facts))
    options.objects = std::move(*objects);
  else
    llvm::consumeError(objects.takeError());
  if (llvm::Expected<std::unique_ptr<Plan>> plan = lowerGraph(**graph, options))
    lowered.plan = std::move(*plan);
  else
    lowered.refusal = ruleOf(plan.takeError());
  return lowered;
}

} // namespace ccgraph::test
