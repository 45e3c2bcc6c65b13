// Matches PyTorch's estimates to a graph; cost_files.h defines a match.
//
// Ownership: the caller owns the result. Failure: none. Cost: linear in the nodes and the estimates.
#pragma once

#include "ccgraph/frontend/trace_estimates.h"
#include "ccgraph/ir/graph.h"

namespace ccgraph {

[[nodiscard]] Durations matchEstimates(const TraceEstimates &estimates, const Graph &graph);

} // namespace ccgraph
