// Copy of a graph into a subgraph: the text of an fx_graph_runnable defines the class of a subgraph before the class
// that has it as a member, so the graph is read before its parent is known.
//
// Ownership: the copies live in the target. Never fails. Cost: linear in the nodes.
#pragma once

#include "ccgraph/frontend/read_graph.h"

namespace ccgraph::fx {

/// Copies all nodes and subgraphs of `from` into `into`, which is empty and of the same context. `places` gets the
/// copies in place of the originals; null: not kept.
void copyBody(const Graph &from, Graph &into, NodePlaces *places);

} // namespace ccgraph::fx
