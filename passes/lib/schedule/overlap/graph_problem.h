// GraphProblem: a graph as a Problem, and which node each of its steps is.
//
// Edges are those of the graph, its dependences (dependences.h), the order around opaque nodes, and
// where ranks or groups bind it, the order of all that communicates. Storages are those of
// lifetimes.h, so that the peak of a replay is the peak of the graph.
//
// Ownership: refers to the graph and the costs. Fails never. Cost: linear in nodes, edges and holders.
#pragma once

#include "analysis/dependences.h"
#include "ccgraph/passes/cost.h"
#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

struct GraphProblem {
  Problem problem;
  /// by step
  std::vector<Node *> nodes;
};

struct GraphProblemOptions {
  const ProgramFacts &facts;
  const CommGroups &groups;
  const Dependences &dependences;
  const CostModel &costs;
  /// other ranks run this program too; if not, all that communicates keeps its order
  bool spmd = true;
};

/// Steps, times and completions alone: what a replay of the program as it stands needs, but for memory.
[[nodiscard]] GraphProblem timesOf(const Graph &graph, const ProgramFacts &facts, const CommGroups &groups,
                                   const CostModel &costs);
/// No launch may be merged with another yet: see Step::mergeKey.
[[nodiscard]] GraphProblem problemOf(Graph &graph, const GraphProblemOptions &options);

} // namespace ccgraph::overlap
