// Adds line and column to diagnostics about the nodes of a graph that was read from a file.
//
// A graph does not store the positions of its nodes, since few runs need them. After an error, the file is read again
// with the position of each node, and the positions are looked up by the names in the diagnostics. A node that a pass
// made has no position.
//
// Ownership: none. Failure: none; if the file can no longer be read, the diagnostics stay as they are. Cost: one more
// reading of the file, only after an error.
#pragma once

#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/diagnostic.h"

namespace ccgraph {

/// Identifies a graph of a file: the `index`-th of those that loadGraphs returns for `selector`.
struct GraphChoice {
  const InputFile &file;
  llvm::StringRef selector;
  size_t index = 0;
};

/// Adds file, line and column to diagnostics that name a node of the graph and have no position, and the file to the
/// others.
void addPlaces(llvm::MutableArrayRef<Diagnostic> diagnostics, const GraphChoice &graph);

/// Does the same for the diagnostics of an error; any other error stays as it is.
[[nodiscard]] llvm::Error withPlaces(llvm::Error error, const GraphChoice &graph);

} // namespace ccgraph
