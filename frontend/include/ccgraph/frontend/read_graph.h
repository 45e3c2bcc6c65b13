// readGraphs: the one door through which every graph file comes in.
//
// The format is found from the content, never from the name: a JSON object is a `ccgraph.graph` file (json_graph.h), a
// zip archive or its model.json is an exported program (torch_export.h), a Python text is what print_readable or a log of
// PyTorch prints (fx_text.h). Graphs come in the order of the
// text; a file of several names each of them. What is read is not yet verified (ccgraph/ir/verifier.h).
//
// Ownership: the graphs are the caller's, and live in `context`; the text may go once this returns.
// Errors: all of a file, up to `errorLimit`, each with line and column; malformed input never crashes, and memory stays
// proportional to the text. Cost: linear in the text.
#pragma once

#include "ccgraph/frontend/listed_graph.h"
#include "ccgraph/frontend/source_text.h"
#include "ccgraph/ir/graph.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <optional>
#include <vector>

namespace ccgraph {

enum class GraphFormat : uint8_t { Json, FxText, ExportArchive, ExportJson };

/// Byte offsets in the text: where the statement or object of each node begins.
using NodePlaces = llvm::DenseMap<const Node *, size_t>;

struct ReadOptions {
  size_t errorLimit = 20;          ///< errors reported; the rest is counted
  Diagnostics *warnings = nullptr; ///< receives warnings (a newer minor version, ...); null drops them
  NodePlaces *places = nullptr;    ///< receives where each node stands, of subgraphs too; null: not kept, which is free
  std::vector<ListedGraph> *listed =
      nullptr; ///< receives what is said of each graph, of those left out too; null: not kept
};

using GraphList = std::vector<std::unique_ptr<Graph>>;

/// A zip archive and JSON start as such, an exported program has "graph_module" near its beginning, FX text holds "def forward(" somewhere; empty where the text does neither.
[[nodiscard]] std::optional<GraphFormat> detectGraphFormat(llvm::StringRef text);

/// At least one graph, or an error: that the text is of neither format, or what its reader found.
[[nodiscard]] llvm::Expected<GraphList> readGraphs(Context &context, const SourceText &source,
                                                   const ReadOptions &options = {});

} // namespace ccgraph
