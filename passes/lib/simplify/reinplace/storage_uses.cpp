#include "simplify/reinplace/storage_uses.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

bool uses(Access access) {
  return touches(access) || hasAny(access, Access::Place | Access::Reshape | Access::Complete);
}

/// Returns the first of the ascending places after this one.
uint32_t firstAfter(llvm::ArrayRef<uint32_t> places, uint32_t place) {
  const uint32_t *found = llvm::upper_bound(places, place);
  return found == places.end() ? StorageUses::never : *found;
}

void insert(llvm::SmallVectorImpl<uint32_t> &places, uint32_t place) {
  places.insert(llvm::upper_bound(places, place), place);
}

} // namespace

const Node *lastWaitOf(const Node &launch, const AsyncPairs &pairs) {
  if (pairs.staysOpen(&launch))
    return nullptr;
  const Node *end = &launch;
  for (const Node *wait : pairs.waitsOf(&launch))
    if (end->isBefore(wait))
      end = wait;
  return end;
}

bool makesOwnMemory(const Node &owner) {
  const OpDef *op = owner.op();
  return owner.opcode() == Opcode::CallFunction && op && !op->opaque && effectsOf(owner).domain != Domain::All &&
         (op->role == OpRole::Compute || op->role == OpRole::Collective);
}

std::optional<StorageId> onlyStorage(const StorageMap &storages, const Node &value) {
  llvm::ArrayRef<StorageId> held = storages.storages(&value);
  return held.size() == 1 && !storages.isPool(held[0]) ? std::optional(held[0]) : std::nullopt;
}

StorageUses::StorageUses(const ProgramFacts &facts)
    : place_(facts.graph().idLimit()), uses_(facts.storages().numStorages()), writes_(facts.storages().numStorages()),
      lastUse_(facts.storages().numStorages()), lastName_(facts.storages().numStorages()),
      returned_(facts.storages().numStorages()) {
  uint32_t place = 0;
  for (const Node *node : facts.graph())
    place_[node->id()] = place++;
  for (const Node *node : facts.graph())
    note(facts, *node);
}

void StorageUses::note(const ProgramFacts &facts, const Node &node) {
  const uint32_t at = place(node);
  uint32_t end = at;
  if (facts.launches(&node)) {
    const Node *wait = lastWaitOf(node, facts.asyncPairs());
    end = wait ? place(*wait) : never;
    for (StorageId storage : facts.storages().storages(&node))
      extend(storage, end);
  }
  for (const StorageAccess &access : facts.accesses(&node)) {
    lastName_[access.storage] = at;
    if (!uses(access.access))
      continue;
    uses_[access.storage].push_back(at);
    if (writes(access.access))
      writes_[access.storage].push_back(at);
    extend(access.storage, end);
    returned_[access.storage] = returned_[access.storage] || node.opcode() == Opcode::Output;
  }
  for (StorageId storage : facts.rewrites(&node))
    addWrite(storage, at);
  if (facts.domain(&node) == Domain::All)
    opaque_.push_back(at);
}

bool StorageUses::isUsedBetween(StorageId storage, uint32_t first, uint32_t last) const {
  return firstAfter(uses_[storage], first) < last;
}

uint32_t StorageUses::firstWriteAfter(StorageId storage, uint32_t place) const {
  return firstAfter(writes_[storage], place);
}

uint32_t StorageUses::firstOpaqueAfter(uint32_t place) const { return firstAfter(opaque_, place); }

void StorageUses::addWrite(StorageId storage, uint32_t place) {
  insert(uses_[storage], place);
  insert(writes_[storage], place);
  extend(storage, place);
}

void StorageUses::join(StorageId storage, StorageId other) {
  for (uint32_t place : uses_[other])
    insert(uses_[storage], place);
  for (uint32_t place : writes_[other])
    insert(writes_[storage], place);
  extend(storage, lastUse_[other]);
  returned_[storage] = returned_[storage] || returned_[other];
}

} // namespace ccgraph
