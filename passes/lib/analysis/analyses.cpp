#include "ccgraph/passes/analyses.h"

#include "analysis/program_facts.h"
#include "schedule/search_record.h"

namespace ccgraph {

Analyses::Analyses(const Graph &graph, const BoundTypes *boundTypes)
    : graph_(graph), boundTypes_(boundTypes), revision_(graph.revision()) {}
Analyses::Analyses(const Graph &graph, Analyses &shared) : Analyses(graph, shared.boundTypes()) {
  static_cast<void>(shared.searches());
  searches_ = shared.searches_;
}
Analyses::~Analyses() = default;

void Analyses::dropIfEdited() {
  if (revision_ == graph_.revision())
    return;
  revision_ = graph_.revision();
  facts_.reset();
  storages_.reset();
}

const StorageMap &Analyses::storages() {
  dropIfEdited();
  if (!storages_)
    storages_ = std::make_shared<const StorageMap>(graph_);
  return *storages_;
}

const ProgramFacts &Analyses::facts() {
  (void)storages();
  if (!facts_)
    facts_ = std::make_unique<const ProgramFacts>(graph_, storages_);
  return *facts_;
}

SearchRecord &Analyses::searches() {
  if (!searches_)
    searches_ = std::make_shared<SearchRecord>();
  return *searches_;
}

} // namespace ccgraph
