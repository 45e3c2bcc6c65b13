#include "support/compared_after_o2.h"

#include "ccgraph/frontend/object_file.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/passes/pipeline.h"
#include "support/seeded_run.h"

namespace ccgraph::test {

ComparedAfterO2 compareAfterO2(const Graph &graph, size_t ranks) {
  std::unique_ptr<Graph> after = graph.clone();
  ObjectMeanings objects = objectsOf(graph);
  PassManagerOptions options;
  options.objects = &objects;
  llvm::Expected<PipelineRun> run = runPipeline(*after, pipelineOfLevel(2), options);
  if (!run)
    return {nullptr, llvm::toString(run.takeError())};
  runtime::RunRequest request = seededRequest(graph, ranks);
  request.objects = objects;
  runtime::EquivalenceReport report = runtime::checkEquivalence(request, {after.get()}, {});
  return {std::move(after), differencesIn(report), report.verdict != runtime::Verdict::NotChecked};
}

} // namespace ccgraph::test
