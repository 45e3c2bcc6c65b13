#include "ccgraph/ir/storage.h"

#include "ccgraph/ir/effects.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

// One traversal of the program gives each value the set of storages that it may occupy: a new storage if the node
// allocates memory, the sets of the operands that it may share, or both. An example, with the sets on the right:
//   x = placeholder                    {0}
//   v = view(x)                        {0}        a view has no storage of its own
//   y = mylib.mystery(v)               {0, 1}     opaque: may return v, or something new
//   l = all_reduce_coalesced([x, y])   {2, 3}     a list; element 0 is in 2, element 1 in 3
//   g = getitem(l, 1)                  {3}
//   w = wait_tensor(g)                 {3}
// Sets are stored back to back in pool_, sorted, and a value has a range of it; views of one tensor each have a copy.
//
// Two causes join several storages into one (a pool, see the header): a set that exceeds mostStorages, and an operator
// that gives a tensor the storage of another (set_). Pools are kept as a union-find: into_ leads from a storage towards
// the smallest of its pool. A set that was stored before two of its storages joined one pool still contains both;
// therefore settlePools rewrites all sets at the end.
StorageMap::StorageMap(const Graph &graph) : whole_(graph.idLimit()) {
  owner_.reserve(graph.size() / 2);
  for (const Node *node : graph)
    visit(*node);
  settlePools();
}

void StorageMap::noteExchange(const Node &node, const Effects &effects) {
  const OpDef &op = *node.op();
  if (!op.reshapes || op.domain != Domain::All)
    return;
  if (auto set = sorted(aliased(node, effects)); set.size() > 1)
    makePool(set);
}

llvm::ArrayRef<StorageId> StorageMap::storages(const Node *node) const {
  Range range = whole_[node->id()];
  return llvm::ArrayRef(pool_).slice(range.begin, range.count);
}

llvm::ArrayRef<StorageId> StorageMap::storages(const Node *node, unsigned element) const {
  Range list = lists_.lookup(node->id());
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
  if (auto pool = pools_.find(storage); pool != pools_.end())
    return pool->second;
  return poolOf(storage) == storage ? ownBytes(storage) : 0;
}

std::optional<int64_t> StorageMap::ownBytes(StorageId storage) const {
  if (isOffload(*owner_[storage]))
    return 0;
  const Type *type = type_[storage];
  return type ? type->numBytes() : std::nullopt;
}

StorageId StorageMap::fresh(const Node &node, const Type *type) {
  owner_.push_back(&node);
  type_.push_back(type);
  return static_cast<StorageId>(owner_.size() - 1);
}

StorageId StorageMap::poolOf(StorageId storage) const {
  while (storage < into_.size() && into_[storage] != storage)
    storage = into_[storage];
  return storage;
}

void StorageMap::makePool(llvm::ArrayRef<StorageId> ids) {
  while (into_.size() < owner_.size())
    into_.push_back(static_cast<StorageId>(into_.size()));
  pools_.try_emplace(ids.front(), 0);
  for (StorageId id : ids.drop_front()) {
    into_[id] = ids.front();
    pools_.erase(id);
  }
}

void StorageMap::settlePools() {
  if (into_.empty())
    return;
  auto settle = [&](Range &range) {
    llvm::MutableArrayRef<StorageId> set = llvm::MutableArrayRef(pool_).slice(range.begin, range.count);
    for (StorageId &id : set)
      id = poolOf(id);
    llvm::sort(set);
    range.count = static_cast<uint32_t>(std::unique(set.begin(), set.end()) - set.begin());
  };
  llvm::for_each(whole_, settle);
  llvm::for_each(elementRanges_, settle);
  for (StorageId id = 0; id < into_.size(); ++id)
    if (auto pool = pools_.find(poolOf(id)); pool != pools_.end())
      pool->second += ownBytes(id).value_or(0);
}

llvm::SmallVector<StorageId, 8> StorageMap::sorted(llvm::ArrayRef<StorageId> ids) const {
  llvm::SmallVector<StorageId, 8> sorted;
  for (StorageId id : ids)
    sorted.push_back(poolOf(id));
  llvm::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

StorageMap::Range StorageMap::store(llvm::ArrayRef<StorageId> ids) {
  Range range{static_cast<uint32_t>(pool_.size()), static_cast<uint32_t>(ids.size())};
  pool_.insert(pool_.end(), ids.begin(), ids.end());
  return range;
}

StorageMap::Range StorageMap::unite(llvm::ArrayRef<StorageId> ids) {
  auto set = sorted(ids);
  if (set.size() > mostStorages) {
    makePool(set);
    set.truncate(1);
  }
  return store(set);
}

/// Stores the union for a list, without a limit: a list is never used as one value.
StorageMap::Range StorageMap::uniteList(llvm::ArrayRef<StorageId> ids) { return store(sorted(ids)); }

namespace {

/// Returns the number of elements of a list result, as far as its type and its readers show; 0 for a single result.
unsigned numElements(const Node &node) {
  unsigned count = node.type() && node.type()->isList() ? static_cast<unsigned>(node.type()->elements().size()) : 0;
  for (const Use &use : node.uses())
    if (auto index = use.isOrdering() ? std::nullopt : getItemIndex(*use.user()))
      count = std::max(count, static_cast<unsigned>(*index) + 1);
  return count;
}

/// Returns the list parameter whose element i is element i of the result: waits on lists, in-place coalesced forms,
/// batches of p2p. Null for other operators, and for those that return a list besides a Work: its elements are elements
/// of an element.
const Argument *elementwiseList(const Node &node) {
  const CollectiveSpec *spec = collectiveOf(node);
  bool elementwise = isWait(node) || (spec && node.op()->results.size() == 1 &&
                                      (spec->inPlace || spec->kind == CollectiveKind::BatchP2P));
  const Argument *list = elementwise ? argumentAt(node, spec ? spec->input : 0) : nullptr;
  return list && list->isSequence() ? list : nullptr;
}

/// Calls `visit` with the index of each operand in an argument tree.
void forEachOperand(const Argument &tree, llvm::function_ref<void(uint32_t)> visit) {
  if (tree.is(Argument::Kind::Operand))
    visit(tree.operandIndex());
  for (const Argument &element : tree.elements())
    forEachOperand(element, visit);
}

/// Returns the collective and its argument that a getitem reads from its result: p[0][0][1] is b for p =
/// allgather_([[a, b]], [x], g). Null if the result is no argument.
std::pair<const Node *, const Argument *> filledArgument(const Node &getItem) {
  llvm::SmallVector<size_t, 4> path;
  const Node *call = &getItem;
  for (auto index = getItemIndex(*call); index; index = getItemIndex(*call)) {
    path.push_back(static_cast<size_t>(*index));
    call = call->operand(0);
  }
  const CollectiveSpec *spec = collectiveOf(*call);
  bool fills = spec && !isPointToPoint(spec->kind);
  const Argument *argument = fills ? argumentAt(*call, spec->inPlace ? spec->input : spec->output) : nullptr;
  // If a list is returned together with a Work, the list is the first of the two.
  bool isPair = argument && call->op()->results.size() > 1;
  if (isPair && path.pop_back_val() != 0)
    return {call, nullptr};
  while (argument && !path.empty()) {
    size_t index = path.pop_back_val();
    bool there = argument->isSequence() && index < argument->elements().size();
    argument = there ? &argument->elements()[index] : nullptr;
  }
  return {call, argument};
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
    visitElement(node, static_cast<unsigned>(*index));
    return;
  }
  if (unsigned count = numElements(node)) {
    visitList(node, count);
    return;
  }
  Effects effects = effectsOf(node);
  // A value that may be in any of a long list's storages joins them into a pool, because there may be many such values.
  for (unsigned i = 0; i < node.numOperands(); ++i)
    if (Range &own = whole_[node.operand(i)->id()]; own.count > mostStorages && has(effects.operands[i], Access::Alias))
      own = unite(storages(node.operand(i)).vec());
  noteExchange(node, effects);
  auto ids = aliased(node, effects);
  if (effects.freshResult)
    ids.push_back(fresh(node, node.type()));
  whole = unite(ids);
}

// A text gives no type to a list, so the type of the getitem determines the size of the element's storage.
void StorageMap::visitElement(const Node &getItem, unsigned index) {
  const Node *list = getItem.operand(0);
  if (auto [call, argument] = filledArgument(getItem); argument) {
    llvm::SmallVector<StorageId, 8> filled;
    forEachOperand(*argument, [&, call = call](uint32_t operand) {
      llvm::append_range(filled, storages(call->operand(operand)));
    });
    whole_[getItem.id()] = argument->isSequence() ? uniteList(filled) : unite(filled);
    return;
  }
  auto element = storages(list, index);
  for (StorageId id : element)
    if (owner_[id] == list && !type_[id] && index < lists_.lookup(list->id()).count)
      type_[id] = getItem.type();
  whole_[getItem.id()] = unite(llvm::SmallVector<StorageId, 4>(element.begin(), element.end()));
}

// Each element has a set of its own. Some operators work on element i of a list alone: a wait on a list, an in-place
// coalesced form, a batch of p2p. Their result i shares only with operand i: for wait_tensors([a, b]), element 1 is in
// b's storage. A batch does not share the tensors that it sends: such a result is a separate token. Otherwise each
// element may share everything that the operator shares, like the elements of a split.
void StorageMap::visitList(const Node &node, unsigned count) {
  Effects effects = effectsOf(node);
  const Argument *list = elementwiseList(node);
  auto types = node.type() ? node.type()->elements() : llvm::ArrayRef<const Type *>();
  std::optional<Range> shared; // by every element that no list element is paired with
  llvm::SmallVector<Range, 8> ranges;
  llvm::SmallVector<StorageId, 8> all;
  for (unsigned i = 0; i < count; ++i) {
    llvm::SmallVector<StorageId, 8> ids;
    bool paired = list && i < list->elements().size() && list->elements()[i].is(Argument::Kind::Operand);
    bool sharesPair = paired && has(effects.operands[list->elements()[i].operandIndex()], Access::Alias);
    if (sharesPair) {
      auto own = storages(node.operand(list->elements()[i]));
      ids.assign(own.begin(), own.end());
    } else if (!paired) {
      shared = shared ? shared : unite(aliased(node, effects));
      auto all = llvm::ArrayRef(pool_).slice(shared->begin, shared->count);
      ids.assign(all.begin(), all.end());
    }
    if (effects.freshResult && !sharesPair)
      ids.push_back(fresh(node, i < types.size() ? types[i] : nullptr));
    ranges.push_back(unite(ids));
    all.append(ids.begin(), ids.end());
  }
  lists_[node.id()] = {static_cast<uint32_t>(elementRanges_.size()), count};
  elementRanges_.insert(elementRanges_.end(), ranges.begin(), ranges.end());
  whole_[node.id()] = uniteList(all);
}

StorageId StorageMap::inputStorage(const Node &node) {
  if (node.opcode() == Opcode::Placeholder)
    return fresh(node, node.type());
  auto [slot, isNew] = attributes_.try_emplace(node.target(), 0); // two get_attr of one attribute read the same tensor
  if (isNew)
    slot->second = fresh(node, node.type());
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
