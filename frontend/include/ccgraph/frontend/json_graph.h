// The JSON format `ccgraph.graph`, version 1.0: read and written without loss
// (docs/graph-format.md).
//
// Written files are canonical: one node a line, keys in a fixed order, the shortest form of each number. So a diff of
// two files shows the nodes that differ, and reading and writing a canonical file yields the same bytes. Unknown keys
// are kept and written back. Another major version is rejected; a newer minor version is read with a warning.
//
// Ownership: the graph is the caller's and lives in `context`; the text may be freed once reading is done. Errors: all
// of a file up to the limit, each with line, column and JSON pointer. A reference to a later or missing node is an
// error. The verifier, not this reader, checks the meaning of the graph. Cost: reading about 8 ns a byte and the memory
// of the graph, since one node is parsed at a time; writing about 3 ns a byte, without a copy of the text.
#pragma once

#include "ccgraph/frontend/read_graph.h"

namespace ccgraph {

/// Reads one graph with its subgraphs, groups, hints and unknown keys.
[[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> readJsonGraph(Context &context, const SourceText &source,
                                                                   const ReadOptions &options = {});

/// Error: the reader would refuse the JSON of this graph, because a name breaks the grammar of
/// ccgraph/ir/internal/names.h, or because a call is of a function that no data file may call, such as torch.load
/// (isFunctionOfGraphs). Graphs that were read pass; those that were imported through the C ABI or made by calls may
/// not.
[[nodiscard]] llvm::Error checkJsonReadsBack(const Graph &graph);
/// Writes the graph and a final newline. Never fails; errors of the system stay in the stream.
void writeJsonGraph(llvm::raw_ostream &os, const Graph &graph);
/// The same for a graph that the reader accepts; otherwise the error of checkJsonReadsBack, and nothing is written.
[[nodiscard]] llvm::Error writeCheckedJsonGraph(llvm::raw_ostream &os, const Graph &graph);

} // namespace ccgraph
