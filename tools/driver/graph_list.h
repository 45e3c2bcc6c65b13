// Prints the table of --list-graphs: one line for each graph, with the selector that chooses it.
//
// Ownership: borrows everything for the call. Failure: none; the stream keeps the system's error. Cost: linear.
#pragma once

#include "ccgraph/frontend/listed_graph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph::driver {

/// A graph that cannot be read shows the reason in place of numbers. If there are several files, each file is printed
/// above its graphs.
void printGraphList(llvm::raw_ostream &os, llvm::ArrayRef<ListedGraph> graphs);

} // namespace ccgraph::driver
