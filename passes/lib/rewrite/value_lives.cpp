#include "rewrite/value_lives.h"

#include "ccgraph/ir/lifetimes.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

ValueLives::ValueLives(Graph &graph, const ProgramFacts &facts)
    : written(facts.writtenStorages()), writtenInFlight(written.size()), writers(written.size()), bytes(written.size()),
      last(written.size()), fixed(written.size()), freed(written.size()), names(written.size()), graph_(graph),
      facts_(facts), oldIds_(graph.idLimit()) {
  noteNames();
  noteLives();
}

void ValueLives::noteNames() {
  for (Node *node : graph_) {
    for (StorageId storage : facts_.storages().storages(node))
      names[storage].push_back(node);
    const bool seesAll = facts_.domain(node) == Domain::All || node->opcode() == Opcode::Output;
    if (facts_.domain(node) == Domain::All)
      opaque_.push_back(node);
    for (const StorageAccess &access : facts_.accesses(node)) {
      fixed[access.storage] = fixed[access.storage] || seesAll;
      if (has(access.access, Access::InFlightWrite))
        writtenInFlight[access.storage] = true;
      if (writes(access.access))
        writers[access.storage].push_back(node);
    }
    for (StorageId storage : facts_.rewrites(node))
      writers[storage].push_back(node);
  }
}

void ValueLives::noteLives() {
  const StorageLives lives = storageLives(graph_, facts_.storages(), facts_.asyncPairs());
  for (StorageId id = 0; id < lives.storages.size(); ++id) {
    const StorageLife &life = lives.storages[id];
    bytes[id] = life.bytes;
    const bool toEnd = life.toEnd || life.lastWaitOnly || life.holders.empty();
    for (const Node *holder : life.holders)
      if (!toEnd && (!last[id] || last[id]->isBefore(holder)))
        last[id] = holder;
    fixed[id] =
        fixed[id] || toEnd || life.fromStart || life.bytes == 0 || isWritten(id) || facts_.storages().isPool(id);
  }
  for (const SharedHold &shared : lives.shared)
    for (StorageId id : shared.held) {
      fixed[id] = true;
      last[id] = nullptr;
    }
}

ValueLives::Peak ValueLives::peak() const {
  const StorageMap storages(graph_);
  const std::vector<int64_t> curve = memoryCurve(graph_, storages);
  Peak peak;
  size_t place = 0;
  for (Node *node : graph_) {
    if (curve[place] > peak.bytes)
      peak = {curve[place], node};
    ++place;
  }
  return peak;
}

bool ValueLives::isLiveAcross(StorageId storage, const Node *at) const {
  return facts_.storages().owner(storage)->isBefore(at) && last[storage] && at->isBefore(last[storage]);
}

bool ValueLives::isWritten(StorageId storage) const { return written[storage] || facts_.reshapedStorages()[storage]; }

bool ValueLives::isLive(const Node *value, const Node *at) const {
  return llvm::all_of(facts_.storages().storages(value), [&](StorageId storage) {
    return !last[storage] || at == last[storage] || at->isBefore(last[storage]);
  });
}

bool ValueLives::isInFlight(const Node *value) const {
  while (!facts_.launches(value) && facts_.views(value) && value->numOperands() > 0)
    value = value->operand(0);
  return facts_.launches(value);
}

const Node *ValueLives::opaqueBetween(const Node *from, const Node *to) const {
  const auto *opaque = llvm::partition_point(opaque_, [&](const Node *node) { return !from->isBefore(node); });
  return opaque != opaque_.end() && (*opaque)->isBefore(to) ? *opaque : nullptr;
}

void ValueLives::addCopy(Node *original, Node *copy) {
  copies_[original].push_back(copy);
  originals_[copy] = original;
}

Node *ValueLives::copyFor(const Node *node, const Node *reader) const {
  auto copies = copies_.find(node);
  if (copies == copies_.end())
    return nullptr;
  auto isUsedFrom = [&](const Use &use) { return use.user() == reader || reader->isBefore(use.user()); };
  auto isLiveThere = [&](const Node *copy) { return copy->isBefore(reader) && llvm::any_of(copy->uses(), isUsedFrom); };
  auto found = llvm::find_if(copies->second, isLiveThere);
  return found == copies->second.end() ? nullptr : *found;
}

void ValueLives::forEachWait(const Node *launch, llvm::function_ref<void(Node *)> visit) const {
  if (!isNew(launch))
    return void(llvm::for_each(facts_.waitsOf(launch), visit));
  for (const Use &use : launch->uses())
    if (const Node *wait = originalOf(use.user()); wait && facts_.waits(wait))
      visit(use.user());
}

} // namespace ccgraph
