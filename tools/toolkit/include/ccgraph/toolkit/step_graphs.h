// Reads the graphs of a training step from the log that holds them (logged_step.h).
//
// Ownership: the graphs live in `context`. Failure: a log that changed in the meantime, or a graph that cannot be read.
// Cost: each log is read once for all requested graphs.
#pragma once

#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/toolkit/graph_choice.h"

namespace ccgraph {

/// Adds the sizes that a log gives for the symbols of a graph; the graph's own sizes stay.
void addHints(Graph &graph, const ListedGraph &listed);

/// Reads the graphs with these indices of `input.listed`, in this order, with the groups that the log states. Warnings
/// about their text are dropped, since they do not concern the chosen graph.
[[nodiscard]] llvm::Expected<GraphList> readStepGraphs(Context &context, const GraphInput &input,
                                                       llvm::ArrayRef<size_t> indices);

} // namespace ccgraph
