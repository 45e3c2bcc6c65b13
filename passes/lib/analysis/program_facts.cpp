#include "analysis/program_facts.h"

namespace ccgraph {

ProgramFacts::ProgramFacts(const Graph &graph)
    : graph_(graph), storages_(graph), table_(graph.idLimit()), reshaped_(storages_.numStorages()) {
  for (Node *node = graph.front(); node; node = node->next())
    describe(*node);
  matchWaits();
}

void ProgramFacts::describe(const Node &node) {
  Entry &entry = table_[node.id()];
  entry.firstAccess = static_cast<uint32_t>(accesses_.size());
  Effects effects = effectsOf(node);
  for (unsigned i = 0; i < node.numOperands(); ++i)
    for (StorageId storage : storages_.storages(node.operand(i))) {
      accesses_.push_back({storage, effects.operands[i]});
      reshaped_[storage] = reshaped_[storage] || reshapes(effects.operands[i]);
    }
  entry.numAccesses = static_cast<uint32_t>(accesses_.size()) - entry.firstAccess;
  entry.domain = effects.domain;
  entry.launches = effects.launches;
  entry.waits = effects.waits;
  entry.views = !effects.waits && !effects.launches && (isGetItem(node) || isViewLike(node));
}

llvm::ArrayRef<StorageAccess> ProgramFacts::accesses(const Node *node) const {
  const Entry &entry = table_[node->id()];
  return llvm::ArrayRef(accesses_).slice(entry.firstAccess, entry.numAccesses);
}

void ProgramFacts::startFlight(Node *launch, llvm::MutableArrayRef<Node *> inFlight) const {
  for (StorageId storage : storages_.storages(launch))
    inFlight[storage] = launch;
  for (const StorageAccess &access : accesses(launch))
    if (has(access.access, Access::InFlightWrite))
      inFlight[access.storage] = launch;
}

void ProgramFacts::link(Node *launch, Node *wait) {
  auto &done = completes_[wait];
  if (llvm::is_contained(done, launch))
    return;
  done.push_back(launch);
  waitsOf_[launch].push_back(wait);
}

void ProgramFacts::matchWaits() {
  std::vector<Node *> inFlight(storages_.numStorages(), nullptr);
  for (Node *node = graph_.front(); node; node = node->next()) {
    if (launches(node))
      startFlight(node, inFlight);
    if (!waits(node))
      continue;
    for (const StorageAccess &access : accesses(node))
      if (Node *launch = std::exchange(inFlight[access.storage], nullptr))
        link(launch, node);
  }
}

namespace {
llvm::ArrayRef<Node *> lookUp(const llvm::DenseMap<const Node *, llvm::SmallVector<Node *, 1>> &map, const Node *node) {
  auto found = map.find(node);
  return found == map.end() ? llvm::ArrayRef<Node *>() : llvm::ArrayRef<Node *>(found->second);
}
} // namespace

llvm::ArrayRef<Node *> ProgramFacts::completes(const Node *wait) const { return lookUp(completes_, wait); }
llvm::ArrayRef<Node *> ProgramFacts::waitsOf(const Node *launch) const { return lookUp(waitsOf_, launch); }

std::vector<bool> ProgramFacts::writtenStorages() const {
  std::vector<bool> written(storages_.numStorages());
  for (const Node *node = graph_.front(); node; node = node->next())
    for (const StorageAccess &access : accesses(node))
      if (!waits(node) && writes(access.access))
        written[access.storage] = true;
  return written;
}

std::vector<bool> ProgramFacts::placedStorages() const {
  std::vector<bool> placed(storages_.numStorages());
  for (const StorageAccess &access : accesses_)
    if (has(access.access, Access::Place))
      placed[access.storage] = true;
  return placed;
}

} // namespace ccgraph
