#include "report/describe_run.h"

#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/machine_choice.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace ccgraph::report {

void describePlan(Summary &summary, const PlannedRun &run) {
  summary.graph = run.graph.name().str();
  summary.level = run.level;
  summary.pipeline = run.pipeline.str();
  summary.unknownGroups = llvm::join(unknownGroups(run.graph), ", ");
  summary.verifyEach = run.manager.verifyEach;
  summary.checkedLegality = run.manager.checkLegality;
  summary.spmd = run.manager.spmd;
  if (summary.spmd && run.ranks.ranks.size() > 1)
    summary.ranksAgree = rankRangesText(run.ranks.ranks);
  summary.budgetGiven = run.manager.hasBudget() || run.appliesSchedule;
  summary.machineGiven = run.machineGiven;
}

void describeInput(Summary &summary, const PlannedRun &run) {
  summary.before = gatherFacts(run.graph);
  if (summary.before.rows.empty())
    return;
  const Machine machine = orDefault(run.manager.machine);
  summary.groupGuess = groupGuessText(run.graph, machine.ranksPerNode);
  if (!run.machineGiven)
    summary.machineGuess = machineDoubt(run.graph, run.gpus, machine.name);
  summary.nodes = nodesText(run.graph, machine);
}

void describeResult(Summary &summary, PipelineRun run, const Graph &after) {
  summary.run = std::move(run);
  summary.groups = after.groups();
  for (const PassRun &pass : summary.run.passes) {
    summary.times.passes += pass.seconds;
    summary.times.checks += pass.checkSeconds;
  }
  summary.times.choice = summary.run.choiceSeconds;
  summary.times.predictions =
      std::max(0.0, summary.run.seconds - summary.times.choice - summary.times.passes - summary.times.checks);
}

} // namespace ccgraph::report
