// GraphScope: one graph of a file while it is being read, and what its nodes look up in it.
//
// Each subgraph has a scope of its own, since names and frames are its own; types are shared by the whole file. A scope
// outlives none of the values that it is given: what it needs later it copies.
//
// Ownership: the graph is the sink's, the report and the types are the file's; all outlive the scope. Failure: through
// the report, never by a return value that a caller could forget. Cost: a hash look-up a reference, type or frame.
#pragma once

#include "accepted_names.h"

#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/names.h"
#include "json/json_report.h"
#include "json/type_cache.h"

#include "llvm/ADT/StringSet.h"

#include <vector>

namespace ccgraph {

/// A reference that named no earlier node; judged when the whole graph is known.
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

  /// The node of a text "%name"; null, and noted for later, where none stands before. `user` is the
  /// node that mentions it.
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
  /// null: nobody asks
  NodePlaces *places;
  /// where the graph's object starts: what is said of the graph as a whole is said there
  size_t offset = 0;
  /// index in the file -> index in the graph, which holds each distinct frame once
  std::vector<uint32_t> frames;
  std::vector<UnresolvedReference> unresolved;
  /// names of nodes that had errors of their own: whoever mentions them gets no second error
  llvm::StringSet<> rejected;
  /// keys of the graph's object so far, because JSON lets a key stand twice and we do not
  std::vector<std::string> seenKeys;
  bool sawNodes = false;
  /// of calls
  AcceptedNames targets{isCallTargetOfData};
};

} // namespace ccgraph
