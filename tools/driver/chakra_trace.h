// Writes a graph as an execution trace of Chakra, with the times of the cost model.
//
// Ownership: borrows. Failure: none; the stream keeps its errors. Cost: a cost model of the graph.
#pragma once

#include "ccgraph/passes/pass_manager.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::driver {

/// `options` has the machine and the durations by which the passes ran.
void writeChakraTrace(llvm::raw_ostream &os, const Graph &graph, const PassManagerOptions &options);

} // namespace ccgraph::driver
