#include "analysis/buffer_names.h"

#include "ccgraph/ir/effects.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

constexpr uint32_t forever = UINT32_MAX;

/// Returns true if a node may keep a name of its operand: an unknown operator may, and a reshape is visible under every
/// name.
bool mayKeep(const Effects &effects, Access access) {
  return effects.domain == Domain::All || has(access, Access::Reshape);
}

} // namespace

BufferNames::BufferNames(const StorageMap &storages, const Graph &graph)
    : storages_(storages), place_(graph.idLimit()), names_(storages.numStorages()) {
  uint32_t place = 0;
  for (const Node *node : graph)
    place_[node->id()] = place++;
  for (const Node *node : graph)
    note(*node);
  for (auto &names : names_)
    for (size_t i = 1; i < names.size(); ++i)
      names[i].lastSeen = std::max(names[i].lastSeen, names[i - 1].lastSeen);
}

void BufferNames::note(const Node &value) {
  llvm::ArrayRef<StorageId> held = storages_.storages(&value);
  if (held.empty())
    return;
  Name name{place_[value.id()], 0};
  for (const Use &use : value.uses()) {
    if (use.isOrdering())
      continue;
    name.lastSeen = std::max(name.lastSeen, place_[use.user()->id()]);
    Effects effects = effectsOf(*use.user());
    for (unsigned i = 0; i < use.user()->numOperands(); ++i)
      if (use.user()->operand(i) == &value && mayKeep(effects, effects.operands[i]))
        name.lastSeen = forever;
  }
  for (StorageId storage : held)
    names_[storage].push_back(name);
}

// A name created before the writer may have no mention after the writer's own. Names created after it come from its
// result, because a node can only create a new name from an existing one.
BufferNames::Verdict BufferNames::of(const Node &tensor, const Node &writer) const {
  llvm::ArrayRef<StorageId> held = storages_.storages(&tensor);
  if (held.size() != 1 || storages_.isPool(held[0]) || storages_.owner(held[0])->opcode() != Opcode::CallFunction)
    return Verdict::Seen;
  const Type *type = tensor.type();
  const Node *owner = storages_.owner(held[0]);
  std::optional<int64_t> bytes = type ? type->numBytes() : std::nullopt;
  bool whole = owner == &tensor || (bytes && bytes == storages_.numBytes(held[0]));
  if (!type || !type->isTensor() || !type->isContiguous() || !whole)
    return Verdict::Part;
  llvm::ArrayRef<Name> names = names_[held[0]];
  uint32_t at = place_[writer.id()];
  const Name *younger = llvm::partition_point(names, [&](const Name &name) { return name.made < at; });
  bool seen = younger != names.begin() && std::prev(younger)->lastSeen > at;
  return seen ? Verdict::Seen : Verdict::Private;
}

bool BufferNames::areApart(llvm::ArrayRef<Node *> tensors) const {
  llvm::SmallDenseSet<StorageId, 4> known;
  return llvm::all_of(tensors, [&](const Node *tensor) {
    llvm::ArrayRef<StorageId> held = storages_.storages(tensor);
    return held.size() == 1 && !storages_.isPool(held[0]) && known.insert(held[0]).second;
  });
}

} // namespace ccgraph
