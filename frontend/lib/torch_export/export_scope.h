// ExportScope: one graph of a torch.export file while it is read: the names so far, and the current node.
//
// The file is one line, so line numbers do not help. Every diagnostic names the JSON pointer, the node of the value,
// and the user's own line that made it.
//
// Ownership: refers to the graph and to values of the parser. Failure: reported. Cost: a hash lookup a name.
#pragma once

#include "torch_export/export_values.h"

#include "llvm/ADT/StringSet.h"

namespace ccgraph {

/// The state that all graphs of a file share.
struct ExportSession {
  Context &context;
  JsonReport &report;
  /// null: places are not requested
  llvm::DenseMap<const Node *, size_t> *places = nullptr;
  llvm::StringSet<> unknownArguments = {}; ///< kinds that were warned of
};

struct ExportScope {
  ExportScope(ExportSession &session, Graph &graph) : session(session), graph(graph), values(graph, session.report) {}

  /// Reports an error about a value of the current node.
  void error(const JsonValue &value, const llvm::Twine &message, const llvm::Twine &repair = "");
  /// Returns the node of this name; null, with an error, where no earlier node has it.
  Node *resolve(const JsonValue &name);
  /// Gives a name to its node; reports an error where another node has it.
  void define(const JsonValue &name, Node *node);
  Node *placed(Node *node, const JsonValue &value);

  ExportSession &session;
  Graph &graph;
  ExportValues values;
  llvm::StringMap<Node *> names;      ///< null for a name whose node had errors of its own
  llvm::StringSet<> laterNames;       ///< names of all nodes of the graph, to tell a cycle from an undefined name
  const JsonValue *current = nullptr; ///< the node that is being read
};

/// Returns true for a valid name of a value: names of PyTorch contain no other characters.
[[nodiscard]] bool isExportName(llvm::StringRef name);
/// Reads the argument in a union. `builder` belongs to the node that is being made.
Argument readExportArgument(ExportScope &scope, ArgumentBuilder &builder, const JsonValue &value);
/// Fills a graph: inputs, nodes, output.
void readExportGraph(ExportSession &session, Graph &graph, const JsonValue &exported, const JsonValue *signature);
/// Adds the last frame of a Python stack trace to the graph; returns 0 where there is none.
uint32_t exportFrame(Graph &graph, llvm::StringRef stackTrace);

} // namespace ccgraph
