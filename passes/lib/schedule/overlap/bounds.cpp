#include "ccgraph/passes/bounds.h"

#include "schedule/overlap/bound.h"
#include "schedule/overlap/budget_bound.h"
#include "schedule/overlap/low_memory_order.h"
#include "schedule/overlap/program_problem.h"

namespace ccgraph {

StepBounds predictBounds(Graph &graph, Analyses &analyses, const CostModel &costs, const BoundRules &rules) {
  overlap::ProgramProblem program(graph, analyses.facts(), costs, rules);
  auto named = [&](overlap::Bound bound) {
    return StepBound{bound.picoseconds, bound.stream == overlap::none ? "" : program.groups().id(bound.stream).text};
  };
  const overlap::Problem &problem = program.given().problem;
  const overlap::JobTimes jobs = overlap::jobTimes(problem);
  overlap::Bounds bounds = overlap::lowerBounds(problem, jobs);
  StepBounds result{named(bounds.anyOrder), named(bounds.anyMerging), std::nullopt, {}};
  if (problem.steps.empty())
    return result;
  overlap::LowMemoryOrder lowMemory = overlap::lowMemoryOrder(problem);
  result.memory = {lowMemory.floor, program.given().nodes[lowMemory.floorAt]->name().str().str()};
  if (rules.memoryBudget)
    if (auto within = overlap::lowerBoundsUnder(problem, jobs, *rules.memoryBudget, lowMemory.floorAt))
      result.within = {*rules.memoryBudget, named(within->anyOrder), named(within->anyMerging)};
  return result;
}

} // namespace ccgraph
