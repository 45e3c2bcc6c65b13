#include "analysis/program_facts.h"

namespace ccgraph {

ProgramFacts::ProgramFacts(const Graph &graph, std::shared_ptr<const StorageMap> storages)
    : graph_(graph), storages_(storages ? std::move(storages) : std::make_shared<const StorageMap>(graph)),
      table_(graph.idLimit()), reshaped_(storages_->numStorages()), asyncPairs_(graph, *storages_) {
  for (Node *node : graph)
    describe(*node);
  for (Node *node : graph)
    if (launches(node))
      noteCompletion(*node);
  noteRewrites();
}

void ProgramFacts::describe(const Node &node) {
  Entry &entry = table_[node.id()];
  entry.firstAccess = static_cast<uint32_t>(accesses_.size());
  Effects effects = effectsOf(node);
  // A getitem accesses one element, not the whole list.
  std::optional<int64_t> index = getItemIndex(node);
  for (unsigned i = 0; i < node.numOperands(); ++i)
    for (StorageId storage : index ? storages_->storages(node.operand(i), static_cast<unsigned>(*index))
                                   : storages_->storages(node.operand(i))) {
      accesses_.push_back({storage, effects.operands[i]});
      reshaped_[storage] = reshaped_[storage] || reshapes(effects.operands[i]);
    }
  // A result whose storage was exchanged (set_) is not distinguished from the storage with which it was exchanged. So a
  // step that accesses that storage must count as accessing what is in flight.
  if (effects.launches)
    for (StorageId storage : storages_->storages(&node))
      if (storages_->isPool(storage))
        accesses_.push_back({storage, Access::InFlightWrite});
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

namespace {

// Computes until when a launch holds an operand. For l = all_gather_coalesced([x, y]), the collective of x is complete
// after the wait on l[0], and that of y after the wait on l[1]. So a write of x has to stay after the wait on l[0]
// only.

/// Returns the element of a launch's result for each operand; empty for an operand without one.
std::vector<std::optional<unsigned>> elementsOfOperands(const Node &launch) {
  std::vector<std::optional<unsigned>> elements(launch.numOperands());
  const CollectiveSpec *spec = collectiveOf(launch);
  const Argument *list = spec ? argumentAt(launch, spec->input) : nullptr;
  if (!list || !list->isSequence())
    return elements;
  for (size_t i = 0; i < list->elements().size(); ++i)
    if (const Argument &input = list->elements()[i]; input.is(Argument::Kind::Operand))
      elements[input.operandIndex()] = static_cast<unsigned>(i);
  return elements;
}

} // namespace

/// Each operand is ended by the waits on the storages of its own element if the storages are distinct, else by all
/// waits.
void ProgramFacts::noteCompletion(const Node &launch) {
  constexpr Access inFlight = Access::InFlightRead | Access::InFlightWrite;
  llvm::DenseMap<StorageId, llvm::SmallVector<Node *, 1>> waitsOn;
  for (Node *wait : waitsOf(&launch))
    for (const StorageAccess &access : accesses(wait))
      if (auto &waits = waitsOn[access.storage];
          has(access.access, Access::Complete) && (waits.empty() || waits.back() != wait))
        waits.push_back(wait);
  std::vector<std::optional<unsigned>> elements = elementsOfOperands(launch);
  Effects effects = effectsOf(launch);
  for (unsigned i = 0; i < launch.numOperands(); ++i) {
    if (!hasAny(effects.operands[i], inFlight))
      continue;
    llvm::ArrayRef<StorageId> own = storages_->storages(launch.operand(i));
    llvm::ArrayRef<StorageId> results = elements[i] ? storages_->storages(&launch, *elements[i])
                                        : has(effects.operands[i], Access::Alias) ? own
                                                                                  : llvm::ArrayRef<StorageId>();
    llvm::SmallVector<Node *, 2> waits;
    for (StorageId result : results)
      llvm::append_range(waits, waitsOn.lookup(result));
    for (Node *wait : waits.empty() ? waitsOf(&launch) : llvm::ArrayRef<Node *>(waits))
      for (StorageId storage : own)
        completedStorages_[wait].push_back({storage, effects.operands[i]});
  }
}

llvm::ArrayRef<StorageAccess> ProgramFacts::endedAccesses(const Node *wait) const {
  auto found = completedStorages_.find(wait);
  return found == completedStorages_.end() ? llvm::ArrayRef<StorageAccess>()
                                           : llvm::ArrayRef<StorageAccess>(found->second);
}

/// Records the rewrites of waits that complete a launch; any other wait has no effect.
void ProgramFacts::noteRewrites() {
  std::vector<bool> written;
  for (Node *launch : graph_) {
    const CollectiveSpec *spec = collectiveOf(*launch);
    if (!spec || !spec->waitsRewriteAll)
      continue;
    if (written.empty())
      written = writtenStorages();
    for (StorageId storage : storages_->storages(launch))
      for (Node *wait : written[storage] ? waitsOf(launch) : llvm::ArrayRef<Node *>())
        rewrites_[wait].push_back(storage);
  }
}

llvm::ArrayRef<StorageId> ProgramFacts::rewrites(const Node *wait) const {
  auto found = rewrites_.find(wait);
  return found == rewrites_.end() ? llvm::ArrayRef<StorageId>() : llvm::ArrayRef<StorageId>(found->second);
}

std::vector<bool> ProgramFacts::writtenStorages() const {
  std::vector<bool> written(storages_->numStorages());
  for (const Node *node : graph_)
    for (const StorageAccess &access : accesses(node))
      if (writes(access.access))
        written[access.storage] = true;
  return written;
}

bool ProgramFacts::isReshaped(const Node *value) const {
  return llvm::any_of(storages_->storages(value), [this](StorageId storage) { return reshaped_[storage]; });
}

std::vector<bool> ProgramFacts::placedStorages() const {
  std::vector<bool> placed(storages_->numStorages());
  for (const StorageAccess &access : accesses_)
    if (has(access.access, Access::Place))
      placed[access.storage] = true;
  return placed;
}

} // namespace ccgraph
