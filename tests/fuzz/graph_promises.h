// GraphPromises: what holds of every graph that a reader accepts.
//
// Ownership: borrows; the graph is changed by nobody. Failure: a complaint, in words; empty where every promise is kept. Cost: a few
// milliseconds, and for a graph that is small enough to run, two runs on two ranks.
#pragma once

#include "ccgraph/frontend/read_graph.h"

namespace ccgraph::test {

[[nodiscard]] std::string brokenPromise(const Graph &graph, GraphFormat format);

} // namespace ccgraph::test
