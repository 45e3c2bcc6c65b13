// Checks the properties of every graph that a reader accepts.
//
// Ownership: borrows the graph and does not change it. Failure: returns a complaint as text; empty if every property
// holds. Cost: a few milliseconds, and for a graph that is small enough to run, two runs on two ranks.
#pragma once

#include "ccgraph/frontend/read_graph.h"

namespace ccgraph::test {

[[nodiscard]] std::string brokenPromise(const Graph &graph, GraphFormat format);

} // namespace ccgraph::test
