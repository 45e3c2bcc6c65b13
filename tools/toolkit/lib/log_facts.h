// Reads the facts about the job that a log contains besides the chosen graph.
//
// Groups come from every fx_graph_runnable of the rank (forward and backward each create the groups that they use),
// from those of other ranks, and from the device meshes that the log describes. The graphs of other ranks for the same
// compilation are compared with the chosen graph.
//
// Ownership: fills a GraphInput. Failure: none; parts that cannot be read again are ignored, because the requested
// graph can be read without them. Cost: that of reading the runnables of all ranks, and one graph of each rank.
#pragma once

#include "ccgraph/toolkit/graph_choice.h"

namespace ccgraph {

void readLogFacts(const TraceLog &log, size_t chosen, GraphInput &input);

} // namespace ccgraph
