#include "planner/plan_program.h"

#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/pass_manager.h"

namespace ccgraph::planner {

llvm::Expected<PlanProgram> optimizedProgram(Graph &graph, const Machine &machine, std::optional<int64_t> budget) {
  PassManagerOptions options;
  // The passes are checked where they are tested; here they run on thousands of programs of one form.
  options.verifyEach = options.checkLegality = false;
  options.machine = machine;
  options.memoryBudget = budget;
  options.predictTimes = true;
  options.predictBounds = PredictBounds::AnyMemory;
  llvm::Expected<PipelineRun> run = runPipeline(graph, pipelineOfLevel(2), options);
  if (!run)
    return run.takeError();
  const Timeline &time = *run->timeAfter;
  return PlanProgram{.stepPs = time.total,
                     .computePs = time.compute,
                     .exposedPs = time.exposed,
                     .boundPs = run->bounds->anyMerging.picoseconds,
                     .peakBytes = peakMemory(graph).bytes,
                     .budgetBytes = budget.value_or(0)};
}

} // namespace ccgraph::planner
