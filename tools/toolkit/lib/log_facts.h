// Log facts: what a log says of the job around the graph that was chosen.
//
// Groups come from every fx_graph_runnable of the rank (forward and backward each set up the groups that they use),
// from those of other ranks, and from the device meshes that the log describes. The graphs that other ranks have of the
// same compilation are compared with the chosen one.
//
// Ownership: fills a GraphInput. Failure: none; what cannot be read again says nothing, because the graph that was
// asked for can be read. Cost: that of reading the runnables of all ranks, and one graph of each rank.
#pragma once

#include "ccgraph/toolkit/graph_choice.h"

namespace ccgraph {

void readLogFacts(const TraceLog &log, size_t chosen, GraphInput &input);

} // namespace ccgraph
