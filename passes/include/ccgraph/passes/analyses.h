// Analyses: what was worked out about a graph, kept until its next edit.
//
// Several passes in a row, the verifier after them and the budget ask the same questions of the same
// graph; each is answered once. Graph::revision() tells whether an answer still holds.
//
// Ownership: owns the answers; refers to the graph. A reference is good until the first question after an
// edit; whoever keeps one and edits has what held before, which is enough where only nodes move (see
// program_facts.h). Failure: none. Cost: that of the answer, where it is new.
#pragma once

#include "ccgraph/ir/storage.h"

#include <memory>

namespace ccgraph {

class ProgramFacts;

class Analyses {
public:
  explicit Analyses(const Graph &graph);
  ~Analyses();
  Analyses(const Analyses &) = delete;
  Analyses &operator=(const Analyses &) = delete;

  [[nodiscard]] const StorageMap &storages();
  [[nodiscard]] const ProgramFacts &facts();

private:
  void dropIfEdited();

  const Graph &graph_;
  uint64_t revision_;
  std::shared_ptr<const StorageMap> storages_;
  std::unique_ptr<const ProgramFacts> facts_;
};

} // namespace ccgraph
