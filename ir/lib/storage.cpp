#include "ccgraph/ir/storage.h"

#include "ccgraph/ir/effects.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

StorageMap::StorageMap(const Graph &graph) : whole_(graph.idLimit()), lists_(graph.idLimit()) {
  owner_.reserve(graph.size() / 2);
  for (const Node *node = graph.front(); node; node = node->next())
    visit(*node);
}

llvm::ArrayRef<StorageId> StorageMap::storages(const Node *node) const {
  Range range = whole_[node->id()];
  return llvm::ArrayRef(pool_).slice(range.begin, range.count);
}

llvm::ArrayRef<StorageId> StorageMap::storages(const Node *node, unsigned element) const {
  Range list = lists_[node->id()];
  if (element >= list.count)
    return storages(node);
  Range range = elementRanges_[list.begin + element];
  return llvm::ArrayRef(pool_).slice(range.begin, range.count);
}

bool StorageMap::mayAlias(const Node *a, const Node *b) const {
  auto left = storages(a);
  auto right = storages(b);
  const StorageId *l = left.begin();
  for (StorageId id : right) {
    l = std::lower_bound(l, left.end(), id);
    if (l != left.end() && *l == id)
      return true;
  }
  return false;
}

std::optional<int64_t> StorageMap::numBytes(StorageId storage) const {
  const Type *type = owner_[storage]->type();
  if (type && type->isList())
    type = element_[storage] < type->elements().size() ? type->elements()[element_[storage]] : nullptr;
  return type ? type->numBytes() : std::nullopt;
}

StorageId StorageMap::fresh(const Node &node, uint32_t element) {
  owner_.push_back(&node);
  element_.push_back(element);
  return static_cast<StorageId>(owner_.size() - 1);
}

StorageMap::Range StorageMap::unite(llvm::ArrayRef<StorageId> ids) {
  llvm::SmallVector<StorageId, 8> sorted(ids.begin(), ids.end());
  llvm::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  Range range{static_cast<uint32_t>(pool_.size()), static_cast<uint32_t>(sorted.size())};
  pool_.insert(pool_.end(), sorted.begin(), sorted.end());
  return range;
}

namespace {

/// Number of elements of a list result, as far as its type and its readers show; 0 for a single result.
unsigned numElements(const Node &node) {
  unsigned count = node.type() && node.type()->isList() ? static_cast<unsigned>(node.type()->elements().size()) : 0;
  for (const Use &use : node.uses())
    if (auto index = use.isOrdering() ? std::nullopt : getItemIndex(*use.user()))
      count = std::max(count, static_cast<unsigned>(*index) + 1);
  return count;
}

/// The list parameter whose element i is element i of the result: waits on lists, in-place coalesced forms, batches of
/// p2p. Null for other operators.
const Argument *elementwiseList(const Node &node) {
  const CollectiveSpec *spec = collectiveOf(node);
  bool elementwise = isWait(node) || (spec && (spec->inPlace || spec->kind == CollectiveKind::BatchP2P));
  const Argument *list = elementwise ? argumentAt(node, spec ? spec->input : 0) : nullptr;
  return list && list->isSequence() ? list : nullptr;
}

} // namespace

void StorageMap::visit(const Node &node) {
  Range &whole = whole_[node.id()];
  if (node.opcode() == Opcode::Output)
    return;
  if (node.opcode() != Opcode::CallFunction) {
    whole = unite(inputStorage(node));
    return;
  }
  if (auto index = getItemIndex(node)) {
    auto element = storages(node.operand(0), static_cast<unsigned>(*index));
    whole = unite(llvm::SmallVector<StorageId, 4>(element.begin(), element.end()));
    return;
  }
  if (unsigned count = numElements(node)) {
    visitList(node, count);
    return;
  }
  Effects effects = effectsOf(node);
  auto ids = aliased(node, effects);
  if (effects.freshResult)
    ids.push_back(fresh(node, 0));
  whole = unite(ids);
}

void StorageMap::visitList(const Node &node, unsigned count) {
  Effects effects = effectsOf(node);
  auto shared = aliased(node, effects);
  const Argument *list = elementwiseList(node);
  llvm::SmallVector<Range, 8> ranges;
  llvm::SmallVector<StorageId, 8> all;
  for (unsigned i = 0; i < count; ++i) {
    auto ids = shared;
    if (list && i < list->elements().size() && list->elements()[i].is(Argument::Kind::Operand)) {
      auto own = storages(node.operand(list->elements()[i]));
      ids.assign(own.begin(), own.end());
    }
    if (effects.freshResult)
      ids.push_back(fresh(node, i));
    ranges.push_back(unite(ids));
    all.append(ids.begin(), ids.end());
  }
  lists_[node.id()] = {static_cast<uint32_t>(elementRanges_.size()), count};
  elementRanges_.insert(elementRanges_.end(), ranges.begin(), ranges.end());
  whole_[node.id()] = unite(all);
}

StorageId StorageMap::inputStorage(const Node &node) {
  if (node.opcode() == Opcode::Placeholder)
    return fresh(node, 0);
  auto [slot, isNew] = attributes_.try_emplace(node.target(), 0); // two get_attr of one attribute read the same tensor
  if (isNew)
    slot->second = fresh(node, 0);
  return slot->second;
}

llvm::SmallVector<StorageId, 8> StorageMap::aliased(const Node &node, const Effects &effects) const {
  llvm::SmallVector<StorageId, 8> ids;
  for (unsigned i = 0; i < node.numOperands(); ++i)
    if (has(effects.operands[i], Access::Alias)) {
      auto own = storages(node.operand(i));
      ids.append(own.begin(), own.end());
    }
  return ids;
}

} // namespace ccgraph
