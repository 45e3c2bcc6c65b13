// allowMerging: which launches of a problem may become one.
//
// Ownership: candidates refer to the graph. Failure: none. Cost: linear in nodes and edges.
#pragma once

#include "rewrite/candidates.h"
#include "schedule/overlap/graph_problem.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::overlap {

/// By step of a launch that may be merged; sets its Step::mergeKey. `options` are those that the problem was made with.
llvm::DenseMap<uint32_t, Candidate> allowMerging(GraphProblem &given, const Graph &graph,
                                                 const GraphProblemOptions &options, bool bitwise);

} // namespace ccgraph::overlap
