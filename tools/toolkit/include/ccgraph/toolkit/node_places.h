// Node places: line and column for what is said about the nodes of a graph that was read from a file.
//
// A graph does not keep where its nodes stood, since nearly no run asks. When something is wrong, the
// file is read again, this time with a note of each node's place, and the notes are looked up by the
// names that the diagnostics carry. A node that a pass made stands nowhere and gets no place.
//
// Ownership: none. Failure: none; where the file does not read any more, the diagnostics stay as they
// are. Cost: one more reading, on the way to an error only.
#pragma once

#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/diagnostic.h"

namespace ccgraph {

/// Which graph of a file: the `index`-th of those that loadGraphs gives for `selector`.
struct GraphChoice {
  const InputFile &file;
  llvm::StringRef selector;
  size_t index = 0;
};

/// Gives file, line and column to those diagnostics that name a node of the graph and no place, and the file to the rest.
void addPlaces(llvm::MutableArrayRef<Diagnostic> diagnostics, const GraphChoice &graph);

/// The same for the diagnostics of an error; any other error stays as it is.
[[nodiscard]] llvm::Error withPlaces(llvm::Error error, const GraphChoice &graph);

} // namespace ccgraph
