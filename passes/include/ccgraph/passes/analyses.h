// Analyses: a cache of what was computed about a graph since its last edit.
//
// Several consecutive passes, the verifier after them and the memory budget need the same facts of the same graph. Each
// fact is computed once. Graph::revision() shows whether a cached result is still valid.
//
// Ownership: owns the results; refers to the graph. A reference stays valid until the first query after an edit. A
// caller that keeps a reference and edits the graph sees the facts from before the edit. That is enough where only
// nodes move (see program_facts.h). Failure: none. Cost: that of computing the result on its first use after an edit.
#pragma once

#include "ccgraph/ir/storage.h"

#include <memory>

namespace ccgraph {

class BoundTypes;
class ProgramFacts;
class SearchRecord;

class Analyses {
public:
  /// `boundTypes`: the types of the program, if the graph is a copy of it with bound sizes; they must outlive this.
  explicit Analyses(const Graph &graph, const BoundTypes *boundTypes = nullptr);
  /// Searches and bound types are those of `shared`, for a graph that is another version of the same program.
  Analyses(const Graph &graph, Analyses &shared);
  ~Analyses();
  Analyses(const Analyses &) = delete;
  Analyses &operator=(const Analyses &) = delete;

  /// Returns the types of the program of which the graph is a copy with bound sizes; null if its sizes are its own.
  [[nodiscard]] const BoundTypes *boundTypes() const { return boundTypes_; }
  [[nodiscard]] const StorageMap &storages();
  [[nodiscard]] const ProgramFacts &facts();
  /// Returns the schedules that searches found, by program and options. They remain after an edit.
  [[nodiscard]] SearchRecord &searches();

private:
  void dropIfEdited();

  const Graph &graph_;
  const BoundTypes *boundTypes_;
  uint64_t revision_;
  std::shared_ptr<const StorageMap> storages_;
  std::unique_ptr<const ProgramFacts> facts_;
  std::shared_ptr<SearchRecord> searches_;
};

} // namespace ccgraph
