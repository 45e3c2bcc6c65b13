// GraphProblem: a graph as a Problem, with the node of each step.
//
// Edges are those of the graph, its dependences (dependences.h), the order around opaque nodes, and the order of all
// communicating steps if ranks or groups require it. Storages are those of lifetimes.h, so that the peak of a replay is
// the peak of the graph.
//
// Ownership: refers to the graph and the costs. Failure: none. Cost: linear in nodes, edges and holders.
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

/// Returns the stream of the copies to the host's memory and back, after those of the groups. PyTorch makes all of them
/// on one stream (offload_ops.py, _get_or_create_transfer_stream).
[[nodiscard]] uint32_t hostStream(const CommGroups &groups);
/// Returns the name of a stream's group; "host" for the stream of these copies.
[[nodiscard]] std::string streamName(const CommGroups &groups, uint32_t stream);

/// Returns, by node id, the step of each of these nodes; 0 for other ids.
[[nodiscard]] std::vector<uint32_t> stepsById(llvm::ArrayRef<Node *> nodes);

struct GraphProblemOptions {
  const ProgramFacts &facts;
  const CommGroups &groups;
  const Dependences &dependences;
  const CostModel &costs;
  /// other ranks run this program too; if not, all communicating steps keep their order
  bool spmd = true;
};

/// Returns steps, times and completions only: enough to replay the times of the program in its present order.
[[nodiscard]] GraphProblem timesOf(const Graph &graph, const ProgramFacts &facts, const CommGroups &groups,
                                   const CostModel &costs);
/// Returns the complete problem, without any mergeable launches: see Step::mergeKey.
[[nodiscard]] GraphProblem problemOf(Graph &graph, const GraphProblemOptions &options);

} // namespace ccgraph::overlap
