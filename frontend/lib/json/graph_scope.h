// GraphScope: one graph of a file while it is being read, and the tables that its nodes need.
//
// Each subgraph has a scope of its own, since it has its own names and frames; the whole file shares its types. The
// values that a scope receives do not outlive the call, so it copies what it needs later.
//
// Ownership: the graph is the sink's, the report and the types are the file's; all outlive the scope. Failure: through
// the report, never by a return value that a caller could ignore. Cost: a hash lookup a reference, type or frame.
#pragma once

#include "accepted_names.h"

#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/internal/names.h"
#include "json/json_report.h"
#include "json/type_cache.h"

#include "llvm/ADT/StringSet.h"

#include <vector>

namespace ccgraph {

/// A reference that named no earlier node; it is judged when the whole graph is known.
struct UnresolvedReference {
  std::string user;
  std::string name;
  size_t offset = 0;
};

/// What a call of a data file may call.
inline bool isCallTargetOfData(llvm::StringRef text) { return isCallTarget(text) && isFunctionOfGraphs(text); }

struct GraphScope {
  GraphScope(Graph &graph, JsonReport &report, TypeCache &types, NodePlaces *places)
      : graph(graph), report(report), types(types), places(places) {}

  /// Returns the node of a text "%name"; null, and recorded for later, where no earlier node has this name. `user` is
  /// the node that mentions it.
  Node *resolve(const JsonValue &reference, llvm::StringRef user);
  /// Reads one entry of `frames`.
  void addFrame(const JsonValue &value);
  /// Returns the graph's index of the file's frame; 0 with an error where there is none.
  uint32_t frame(const JsonValue &index);
  /// Reports the unresolved references; call when the graph has been read.
  void finish();

  Graph &graph;
  JsonReport &report;
  TypeCache &types;
  /// null: places are not requested
  NodePlaces *places;
  /// start of the graph's object: the place of errors about the whole graph
  size_t offset = 0;
  /// index in the file -> index in the graph, which holds each distinct frame once
  std::vector<uint32_t> frames;
  std::vector<UnresolvedReference> unresolved;
  /// names of nodes that had errors of their own; a reference to one of them is no second error
  llvm::StringSet<> rejected;
  /// keys of the graph's object so far: JSON allows duplicate keys, this format does not
  std::vector<std::string> seenKeys;
  bool sawNodes = false;
  /// of calls
  AcceptedNames targets{isCallTargetOfData};
};

} // namespace ccgraph
