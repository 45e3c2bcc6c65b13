// allowMerging: finds the launches of a problem that may be merged.
//
// Ownership: candidates refer to the graph. Failure: none. Cost: linear in nodes and edges.
#pragma once

#include "rewrite/candidates.h"
#include "schedule/overlap/graph_problem.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::overlap {

/// Returns the candidates by step of a launch that may be merged; sets its Step::mergeKey. `options` are those from
/// which the problem was created.
llvm::DenseMap<uint32_t, Candidate> allowMerging(GraphProblem &given, const Graph &graph,
                                                 const GraphProblemOptions &options, bool bitwise);

} // namespace ccgraph::overlap
