// readGraphs: the single entry point for every graph file.
//
// The content determines the format, never the file's name. A JSON object is a `ccgraph.graph` file (json_graph.h). A
// zip archive or its model.json is an exported program (torch_export.h). Python text is the output of print_readable or
// of a PyTorch log (fx_text.h). Graphs come in the order of the text; a file of several names each of them. The graphs
// are not yet verified (ccgraph/ir/verifier.h).
//
// Ownership: the graphs are the caller's, and live in `context`; the text may be freed once this returns. Errors: all
// of a file, up to `errorLimit`, each with line and column; malformed input never crashes, and memory stays
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

/// Byte offsets in the text at which the statement or object of each node begins.
using NodePlaces = llvm::DenseMap<const Node *, size_t>;

struct ReadOptions {
  size_t errorLimit = 20;          ///< errors reported; the rest is counted
  Diagnostics *warnings = nullptr; ///< receives warnings (a newer minor version, ...); null drops them
  NodePlaces *places = nullptr;    ///< receives the place of each node, of subgraphs too; null: not kept, which is free
  std::vector<ListedGraph> *listed =
      nullptr; ///< receives the description of each graph, also of skipped graphs; null: not kept
};

using GraphList = std::vector<std::unique_ptr<Graph>>;

/// Detects the format of a text. A zip archive and JSON are recognised by their first bytes. An exported program has
/// "graph_module" near its beginning, and FX text holds "def forward(" somewhere. Returns nothing for any other text.
[[nodiscard]] std::optional<GraphFormat> detectGraphFormat(llvm::StringRef text);

/// Returns at least one graph, or an error: the text has an unknown format, or the reader's own errors.
[[nodiscard]] llvm::Expected<GraphList> readGraphs(Context &context, const SourceText &source,
                                                   const ReadOptions &options = {});

} // namespace ccgraph
