// ExportScope: one graph of a torch.export file while it is read: the names so far, and the node at hand.
//
// A file of one line has no lines to point at. So whatever is said of a value names the node that it belongs to, and the
// user's own line that made it, beside the JSON pointer.
//
// Ownership: refers to the graph and to values of the parser. Failure: reported. Cost: a hash look-up a name.
#pragma once

#include "torch_export/export_values.h"

#include "llvm/ADT/StringSet.h"

namespace ccgraph {

/// What all graphs of a file share.
struct ExportSession {
  Context &context;
  JsonReport &report;
  /// null: nobody asks
  llvm::DenseMap<const Node *, size_t> *places = nullptr;
  llvm::StringSet<> unknownArguments = {}; ///< kinds that were warned of
};

struct ExportScope {
  ExportScope(ExportSession &session, Graph &graph) : session(session), graph(graph), values(graph, session.report) {}

  /// An error about a value of the node at hand.
  void error(const JsonValue &value, const llvm::Twine &message, const llvm::Twine &repair = "");
  /// The node of this name; null, with an error, where none stands above.
  Node *resolve(const JsonValue &name);
  /// Gives a name to a node that was made for it; an error where another one has it.
  void define(const JsonValue &name, Node *node);
  Node *placed(Node *node, const JsonValue &value);

  ExportSession &session;
  Graph &graph;
  ExportValues values;
  llvm::StringMap<Node *> names;      ///< null for a name whose node had errors of its own
  llvm::StringSet<> laterNames;       ///< those of all nodes of the graph, to tell a cycle from a name that nobody has
  const JsonValue *current = nullptr; ///< the node that is being read
};

/// True of what may be the name of a value: no name of PyTorch's holds anything else.
[[nodiscard]] bool isExportName(llvm::StringRef name);
/// The argument that a union says. `builder` is of the node that is being made.
Argument readExportArgument(ExportScope &scope, ArgumentBuilder &builder, const JsonValue &value);
/// Fills a graph: inputs, nodes, output.
void readExportGraph(ExportSession &session, Graph &graph, const JsonValue &exported, const JsonValue *signature);
/// The last frame of a Python stack trace, as the graph's own; 0 where there is none.
uint32_t exportFrame(Graph &graph, llvm::StringRef stackTrace);

} // namespace ccgraph
