#include "ccgraph/passes/bounds.h"

#include "schedule/overlap/bound.h"
#include "schedule/overlap/memory_cut.h"
#include "schedule/overlap/merging.h"
#include "schedule/overlap/replay.h"

namespace ccgraph {

namespace {

MemoryFloor floorAtPeak(const overlap::GraphProblem &given) {
  const overlap::Schedule order = overlap::asItStands(given.problem);
  auto peak = static_cast<uint32_t>(overlap::replay(given.problem, order).peakAt);
  return {overlap::memoryCut(given.problem, peak).bytes, given.nodes[peak]->name().str().str()};
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
  return {named(bounds.anyOrder), named(bounds.anyMerging), floorAtPeak(given)};
}

} // namespace ccgraph
