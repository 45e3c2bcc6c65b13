#include "ccgraph/passes/bounds.h"

#include "schedule/overlap/bound.h"
#include "schedule/overlap/low_memory_order.h"
#include "schedule/overlap/program_problem.h"

namespace ccgraph {

namespace {

MemoryFloor floorOf(const overlap::GraphProblem &given) {
  if (given.nodes.empty())
    return {};
  overlap::LowMemoryOrder lowMemory = overlap::lowMemoryOrder(given.problem);
  return {lowMemory.floor, given.nodes[lowMemory.floorAt]->name().str().str()};
}

} // namespace

StepBounds predictBounds(Graph &graph, Analyses &analyses, const CostModel &costs, const BoundRules &rules) {
  overlap::ProgramProblem program(graph, analyses.facts(), costs, rules);
  auto named = [&](overlap::Bound bound) {
    return StepBound{bound.picoseconds, bound.stream == overlap::none ? "" : program.groups().id(bound.stream).text};
  };
  overlap::Bounds bounds = overlap::lowerBounds(program.given().problem);
  return {named(bounds.anyOrder), named(bounds.anyMerging), floorOf(program.given())};
}

} // namespace ccgraph
