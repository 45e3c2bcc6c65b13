// GraphScope: one graph of a file while it is being read, and what its nodes look up in it.
#pragma once

#include "ccgraph/ir/graph.h"
#include "json/json_report.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <vector>

namespace ccgraph {

/// Types by their text: a graph of a million nodes has some hundred distinct ones, and parsing each again would be most of the reading.
class TypeCache {
public:
  TypeCache(Context &context, JsonReport &report) : context_(context), report_(report) {}
  /// A string, or a list of types and nulls. Null, with an error reported, where it is none.
  const Type *read(const JsonValue &value);

private:
  const Type *readText(const JsonValue &value);
  const Type *readList(const JsonValue &value);
  Context &context_;
  JsonReport &report_;
  llvm::StringMap<const Type *> known_;
};

/// A reference that named no earlier node; judged when the whole graph is known.
struct UnresolvedReference {
  std::string user;
  std::string name;
  size_t offset = 0;
};

struct GraphScope {
  GraphScope(Graph &graph, JsonReport &report, TypeCache &types)
      : graph(graph), report(report), types(types) {}

  /// The node of a text "%name"; null, and noted for later, where none stands before. `user` is the node that mentions it.
  Node *resolve(const JsonValue &reference, llvm::StringRef user);
  /// Reads one entry of `frames`.
  void addFrame(const JsonValue &value);
  /// The graph's index of the file's frame; 0 with an error where there is none.
  uint32_t frame(const JsonValue &index);
  /// Reports what could not be resolved; call when the graph has been read.
  void finish();

  Graph &graph;
  JsonReport &report;
  TypeCache &types;
  size_t offset = 0;                            ///< where the graph's object starts
  std::vector<uint32_t> frames;                 ///< index in the file -> index in the graph
  std::vector<UnresolvedReference> unresolved;
  llvm::StringSet<> rejected;                   ///< names of nodes that had errors of their own
  std::vector<std::string> seenKeys;
  bool sawNodes = false;
};

} // namespace ccgraph
