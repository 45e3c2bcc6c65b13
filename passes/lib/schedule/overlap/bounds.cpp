#include "ccgraph/passes/bounds.h"

#include "schedule/overlap/bound.h"
#include "schedule/overlap/budget_bound.h"
#include "schedule/overlap/low_memory_order.h"
#include "schedule/overlap/program_problem.h"

namespace ccgraph {

StepBounds predictBounds(Graph &graph, Analyses &analyses, const CostModel &costs, const BoundRules &rules) {
  overlap::ProgramProblem program(graph, analyses.facts(), costs, rules);
  const overlap::Problem &problem = program.given().problem;
  const overlap::JobTimes jobs = overlap::jobTimes(problem);
  overlap::Bounds bounds = overlap::lowerBounds(problem, jobs);
  StepBounds result{.anyOrder = program.named(bounds.anyOrder), .anyMerging = program.named(bounds.anyMerging)};
  if (problem.steps.empty())
    return result;
  overlap::LowMemoryOrder lowMemory = overlap::lowMemoryOrder(problem);
  result.memory = {lowMemory.floor, program.given().nodes[lowMemory.floorAt]->name().str().str()};
  if (rules.memoryBudget)
    if (auto within = overlap::lowerBoundsUnder(problem, jobs, *rules.memoryBudget, lowMemory.floorAt))
      result.within = {*rules.memoryBudget, program.named(within->anyOrder), program.named(within->anyMerging)};
  return result;
}

} // namespace ccgraph
