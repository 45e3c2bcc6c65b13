// What of PyTorch's estimates is of a graph; cost_files.h says what counts as a match.
//
// A plain value of the caller's. Fails never. Cost: linear in the nodes and the estimates.
#pragma once

#include "ccgraph/frontend/trace_estimates.h"
#include "ccgraph/ir/graph.h"

namespace ccgraph {

[[nodiscard]] Durations matchEstimates(const TraceEstimates &estimates, const Graph &graph);

} // namespace ccgraph
