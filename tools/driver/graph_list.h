// The table of --list-graphs: one line a graph, with what chooses it.
//
// Ownership: borrows everything for the call. Failure: none; the stream keeps what the system said. Cost: linear.
#pragma once

#include "ccgraph/frontend/listed_graph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph::driver {

/// Graphs that cannot be read have their reason in place of numbers; the file stands above its graphs where there are
/// several.
void printGraphList(llvm::raw_ostream &os, llvm::ArrayRef<ListedGraph> graphs);

} // namespace ccgraph::driver
