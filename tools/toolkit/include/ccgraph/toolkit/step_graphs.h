// Step graphs: the graphs of a training step, read from the log that holds them (logged_step.h).
//
// Ownership: the graphs live in `context`. Failure: a log that changed meanwhile, a graph that cannot be read. Cost: each log
// is read once for all graphs that are asked for.
#pragma once

#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/toolkit/graph_choice.h"

namespace ccgraph {

/// Adds the sizes that a log gives for the symbols of a graph; what the graph itself says stays.
void addHints(Graph &graph, const ListedGraph &listed);

/// The graphs with these indices of `input.listed`, in this order, with the groups that the log states. Warnings of their
/// text are dropped, since they say nothing of the graph that was chosen.
[[nodiscard]] llvm::Expected<GraphList> readStepGraphs(Context &context, const GraphInput &input,
                                                       llvm::ArrayRef<size_t> indices);

} // namespace ccgraph
