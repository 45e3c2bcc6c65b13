#include "ccgraph/passes/bounds.h"

#include "schedule/overlap/bound.h"
#include "schedule/overlap/low_memory_order.h"
#include "schedule/overlap/merging.h"

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
  const ProgramFacts &facts = analyses.facts();
  CommGroups groups(graph, rules.spmd);
  Dependences dependences(facts, groups);
  overlap::GraphProblemOptions options{facts, groups, dependences, costs, rules.spmd};
  overlap::GraphProblem given = overlap::problemOf(graph, options);
  overlap::allowMerging(given, graph, options, rules.bitwise);
  auto named = [&](overlap::Bound bound) {
    return StepBound{bound.picoseconds, bound.stream == overlap::none ? "" : groups.id(bound.stream).text};
  };
  overlap::Bounds bounds = overlap::lowerBounds(given.problem);
  return {named(bounds.anyOrder), named(bounds.anyMerging), floorOf(given)};
}

} // namespace ccgraph
