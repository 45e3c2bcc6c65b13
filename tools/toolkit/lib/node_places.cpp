#include "ccgraph/toolkit/node_places.h"

#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/context.h"
#include "ccgraph/toolkit/graph_files.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph {
namespace {

// A graph does not store the positions of its nodes in the file, because few runs need them and a graph of a million
// nodes would store a million numbers. To report an error, the file is read a second time with positions, and the name
// is looked up.

/// Collects offsets by the names that the verifier gives nodes; a node of a subgraph has a path before its name,
/// "body/mm".
void collect(const Graph &graph, const std::string &path, const NodePlaces &places, llvm::StringMap<size_t> &offsets) {
  for (const Node *node : graph)
    if (auto place = places.find(node); place != places.end())
      offsets[path + node->name().str().str()] = place->second;
  for (const auto &[name, subgraph] : graph.subgraphs())
    collect(*subgraph, path + name.str().str() + "/", places, offsets);
}

llvm::StringMap<size_t> offsetsOf(const GraphChoice &choice) {
  llvm::StringMap<size_t> offsets;
  Context context;
  NodePlaces places;
  auto graphs = loadGraphs(context, choice.file, choice.selector, nullptr, &places);
  if (!graphs)
    llvm::consumeError(graphs.takeError());
  else if (choice.index < graphs->size())
    collect(*(*graphs)[choice.index], "", places, offsets);
  return offsets;
}

} // namespace

// A finding of the verifier names a node such as "body/mm"; this function adds the line and column of the node's
// statement. A diagnostic that already has a position, such as an error of a reader, keeps it.
void addPlaces(llvm::MutableArrayRef<Diagnostic> diagnostics, const GraphChoice &graph) {
  auto isUnplaced = [](const Diagnostic &diagnostic) {
    return diagnostic.file.empty() && diagnostic.line == 0 && !diagnostic.where.empty();
  };
  llvm::StringMap<size_t> offsets;
  if (llvm::any_of(diagnostics, isUnplaced))
    offsets = offsetsOf(graph);
  for (Diagnostic &diagnostic : diagnostics) {
    if (auto offset = offsets.find(diagnostic.where); isUnplaced(diagnostic) && offset != offsets.end()) {
      SourcePosition position = positionAt(graph.file.source(), offset->second);
      diagnostic.line = position.line;
      diagnostic.column = position.column;
    }
    if (diagnostic.file.empty())
      diagnostic.file = graph.file.name();
  }
}

llvm::Error withPlaces(llvm::Error error, const GraphChoice &graph) {
  std::vector<Diagnostic> diagnostics;
  error = llvm::handleErrors(std::move(error),
                             [&](const DiagnosticError &found) { diagnostics = found.diagnostics().vec(); });
  if (diagnostics.empty())
    return error;
  addPlaces(diagnostics, graph);
  return llvm::joinErrors(std::move(error), makeError(std::move(diagnostics)));
}

} // namespace ccgraph
