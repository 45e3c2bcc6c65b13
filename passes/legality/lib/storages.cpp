#include "storages.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// This code is deliberately separate from the passes' StorageMap, and uses only ir's effects: it computes the same
// facts independently. A value's storages are those of the operands that it may share, and a new one if it may have its
// own:
//   x = placeholder                    {0}
//   y = opaque(x)                      {0, 1}
//   l = all_reduce_coalesced([x, y])   {2, 3}, element 0 in {2}, element 1 in {3}
// A value that shares one operand and allocates nothing has exactly that operand's set (the same Range), so views cost
// nothing.

/// Returns the list from which a step reads an element; `none` for any other step.
uint32_t listOf(const Program &program, const Step &step) {
  auto accesses = program.accesses(step);
  for (size_t i = 0; i < accesses.size() && step.element != none; ++i)
    if (has(accesses[i], Access::Alias))
      return program.operands(step)[i];
  return none;
}

/// The argument of a collective that a step reads from the collective's result: for p[0][0][1] with p = allgather_([[a,
/// b]], ...) it is b. Null if the step reads another value.
struct Filled {
  uint32_t call = none;
  const Argument *argument = nullptr;
};
Filled filledBy(const Program &program, const Step &taken) {
  llvm::SmallVector<uint32_t, 4> path;
  Filled filled;
  for (const Step *step = &taken; step->element != none; step = &program[filled.call]) {
    path.push_back(step->element);
    filled.call = listOf(program, *step);
    if (filled.call == none)
      return {};
  }
  const CollectiveSpec *spec = program[filled.call].collective();
  if (!spec || isPointToPoint(spec->kind))
    return {};
  filled.argument = Program::argument(program[filled.call], spec->inPlace ? spec->input : spec->output);
  // A Work is the second of the two results; the list is the first.
  if (program[filled.call].op->results.size() > 1 && path.pop_back_val() != 0)
    return {};
  for (; filled.argument && !path.empty(); path.pop_back())
    filled.argument = filled.argument->isSequence() && path.back() < filled.argument->elements().size()
                          ? &filled.argument->elements()[path.back()]
                          : nullptr;
  return filled;
}

} // namespace

const Argument *elementwiseList(const Step &step) {
  const CollectiveSpec *spec = step.collective();
  int parameter = spec ? spec->input : step.waits ? 0 : -1;
  const Argument *list = Program::argument(step, parameter);
  // If a list is returned together with a Work, getitem reads one of the two.
  return list && list->isSequence() && step.op->results.size() == 1 ? list : nullptr;
}

Storages::Storages(const Program &program) : program_(program), values_(program.size()) {
  countElements();
  for (uint32_t i = 0; i < program.size(); ++i)
    values_[i] = valueOf(i);
  settle();
  markChanges();
}

uint32_t Storages::leaderOf(uint32_t storage) const {
  while (storage < leaders_.size() && leaders_[storage] != storage)
    storage = leaders_[storage];
  return storage;
}

// While values are read, storages that cannot be separated are only joined: each names a leader. In the end every set
// contains leaders only. {0, 3} and {3, 5} with 3 and 5 joined to 0 both become {0}, with the bytes of all three.
void Storages::settle() {
  if (leaders_.empty())
    return;
  for (uint32_t &storage : pool_)
    storage = leaderOf(storage);
  auto shrink = [&](Range &range) {
    auto set = llvm::MutableArrayRef(pool_).slice(range.begin, range.count);
    llvm::sort(set);
    range.count = static_cast<uint32_t>(std::unique(set.begin(), set.end()) - set.begin());
  };
  llvm::for_each(values_, shrink);
  llvm::for_each(elements_, shrink);
  settledBytes_.resize(count());
  for (uint32_t storage = 0; storage < count(); ++storage)
    settledBytes_[leaderOf(storage)] += ownBytes(storage);
}

// set_(x, y) gives x the memory of y. From then on a value of x may lie in y's storage and one of y in x's. Values that
// were read earlier do not include this, so the two storages become one.
void Storages::exchange(const Step &step) {
  auto operands = program_.operands(step);
  auto accesses = program_.accesses(step);
  bool reshapes = llvm::any_of(accesses, [](Access access) { return has(access, Access::Reshape); });
  if (!reshapes || step.domain != Domain::All || step.op->opaque)
    return;
  llvm::SmallVector<uint32_t, 8> all;
  for (uint32_t operand : operands)
    if (operand != none)
      llvm::append_range(all, of(operand));
  for (uint32_t &storage : all)
    storage = leaderOf(storage);
  join(all);
}

void Storages::join(llvm::ArrayRef<uint32_t> storages) {
  while (leaders_.size() < count())
    leaders_.push_back(static_cast<uint32_t>(leaders_.size()));
  for (uint32_t storage : storages)
    leaders_[storage] = storages.front();
}

/// Each getitem names all elements of its list, so only operands that some step changes are examined.
void Storages::markChanges() {
  reshaped_.resize(owners_.size(), none);
  written_.resize(owners_.size());
  for (uint32_t i = 0; i < program_.size(); ++i) {
    auto operands = program_.operands(program_[i]);
    auto accesses = program_.accesses(program_[i]);
    for (size_t k = 0; k < operands.size(); ++k) {
      bool reshapes = has(accesses[k], Access::Reshape);
      bool writes = !program_[i].onlyWaits() && hasAny(accesses[k], Access::Write | Access::InFlightWrite);
      if (operands[k] == none || (!reshapes && !writes))
        continue;
      for (uint32_t storage : of(operands[k])) {
        if (reshapes)
          reshaped_[storage] = std::min(reshaped_[storage], i);
        written_[storage] = written_[storage] || writes;
      }
    }
  }
}

// This runs first, because a text gives a list no type: the getitems determine the number of its elements.
void Storages::countElements() {
  for (uint32_t i = 0; i < program_.size(); ++i) {
    const Step &step = program_[i];
    if (step.element != none) {
      uint32_t list = listOf(program_, step);
      // For a list that is itself an element of a list, the storage of each element is unknown.
      if (list != none && program_[list].isCall() && program_[list].element == none)
        lists_[list].count = std::max(lists_[list].count, step.element + 1);
      continue;
    }
    if (!step.isCall())
      continue;
    if (step.type && step.type->isList())
      lists_[i].count = static_cast<uint32_t>(step.type->elements().size());
    if (const Argument *list = elementwiseList(step))
      lists_[i].count = static_cast<uint32_t>(list->elements().size());
  }
  uint32_t total = 0;
  for (auto &[step, list] : lists_) {
    list.begin = total;
    total += list.count;
  }
  elements_.resize(total);
}

int64_t Storages::bytes(uint32_t storage) const {
  return settledBytes_.empty() ? ownBytes(storage) : settledBytes_[storage];
}

int64_t Storages::ownBytes(uint32_t storage) const {
  const Type *type = owners_[storage].type;
  if (const OpDef *op = program_[owners_[storage].step].op; op && op->hostResult)
    return 0; // because it lies in the host's memory
  return type ? type->numBytes().value_or(0) : 0;
}

uint32_t Storages::fresh(uint32_t step, const Type *type) {
  owners_.push_back({step, type});
  return count() - 1;
}

Storages::Range Storages::uniteList(llvm::SmallVectorImpl<uint32_t> &storages) {
  llvm::sort(storages);
  storages.erase(std::unique(storages.begin(), storages.end()), storages.end());
  Range range{static_cast<uint32_t>(pool_.size()), static_cast<uint32_t>(storages.size())};
  pool_.insert(pool_.end(), storages.begin(), storages.end());
  return range;
}

Storages::Range Storages::unite(llvm::SmallVectorImpl<uint32_t> &storages) {
  for (uint32_t &storage : storages)
    storage = leaderOf(storage);
  llvm::sort(storages);
  storages.erase(std::unique(storages.begin(), storages.end()), storages.end());
  if (storages.size() > mostShared) {
    join(storages);
    storages.truncate(1);
  }
  return uniteList(storages);
}

Storages::Range Storages::valueOf(uint32_t index) {
  const Step &step = program_[index];
  if (step.opcode() == Opcode::Output)
    return {};
  if (step.isCall())
    return callValue(index, step);
  Range *attribute = step.opcode() == Opcode::GetAttr ? &attributes_[step.node->target()] : nullptr;
  if (attribute && attribute->count)
    return *attribute;
  llvm::SmallVector<uint32_t, 1> own{fresh(index, step.type)};
  Range range = unite(own);
  if (attribute)
    *attribute = range;
  return range;
}

Storages::Range Storages::callValue(uint32_t index, const Step &step) {
  if (step.element != none)
    return elementValue(step);
  if (numElements(index))
    return listValue(index, step);
  exchange(step);
  Range only;
  unsigned shared = 0;
  auto operands = program_.operands(step);
  auto accesses = program_.accesses(step);
  llvm::SmallVector<uint32_t, 8> storages;
  for (size_t i = 0; i < operands.size(); ++i)
    if (has(accesses[i], Access::Alias) && operands[i] != none) {
      only = values_[operands[i]];
      ++shared;
      auto own = slice(only);
      storages.append(own.begin(), own.end());
    }
  if (shared == 1 && !step.freshResult)
    return only;
  if (step.freshResult)
    storages.push_back(fresh(index, step.type));
  return unite(storages);
}

/// Returns true if the step shares each operand in the tree. A call that a rule has replaced by its functional form
/// shares none.
bool Storages::sharesAll(const Step &step, const Argument &tree) const {
  if (tree.is(Argument::Kind::Operand))
    return has(program_.accesses(step)[tree.operandIndex()], Access::Alias);
  return llvm::all_of(tree.elements(), [&](const Argument &element) { return sharesAll(step, element); });
}

// l[1] has the storages of element 1 alone. The list often has no type; then the getitem's type determines the bytes of
// a storage that was made for that element.
Storages::Range Storages::elementValue(const Step &step) {
  uint32_t list = listOf(program_, step);
  if (list == none)
    return {};
  if (Filled filled = filledBy(program_, step); filled.argument && sharesAll(program_[filled.call], *filled.argument)) {
    llvm::SmallVector<uint32_t, 8> storages;
    for (uint32_t operand : program_.operandsIn(program_[filled.call], filled.argument))
      if (operand != none)
        llvm::append_range(storages, of(operand));
    return filled.argument->isSequence() ? uniteList(storages) : unite(storages);
  }
  Range elements = lists_.lookup(list);
  if (step.element >= elements.count)
    return values_[list];
  Range element = elements_[elements.begin + step.element];
  for (uint32_t storage : slice(element))
    if (owners_[storage].step == list && !owners_[storage].type)
      owners_[storage].type = step.type;
  return element;
}

Storages::Range Storages::listValue(uint32_t index, const Step &step) {
  const Argument *inputs = elementwiseList(step);
  auto operands = program_.operands(step);
  auto accesses = program_.accesses(step);
  llvm::ArrayRef<const Type *> types = step.type ? step.type->elements() : llvm::ArrayRef<const Type *>();
  llvm::SmallVector<uint32_t, 8> all;
  auto share = [&](uint32_t operand, llvm::SmallVectorImpl<uint32_t> &storages) {
    if (!has(accesses[operand], Access::Alias) || operands[operand] == none)
      return;
    auto own = of(operands[operand]);
    storages.append(own.begin(), own.end());
  };
  std::optional<Range> shared; // by every element that no list element is paired with
  const Range elements = lists_.lookup(index);
  for (uint32_t element = 0; element < elements.count; ++element) {
    llvm::SmallVector<uint32_t, 8> storages;
    bool paired =
        inputs && element < inputs->elements().size() && inputs->elements()[element].is(Argument::Kind::Operand);
    // A batch of p2p shares the buffers that it receives into, and returns a token for those that it sends.
    bool sharesPair = paired && has(accesses[inputs->elements()[element].operandIndex()], Access::Alias);
    if (sharesPair) {
      share(inputs->elements()[element].operandIndex(), storages);
    } else if (!paired) {
      if (!shared) {
        for (uint32_t i = 0; i < operands.size(); ++i)
          share(i, storages);
        shared = unite(storages);
      }
      auto set = slice(*shared);
      storages.assign(set.begin(), set.end());
    }
    if (step.freshResult && !sharesPair)
      storages.push_back(fresh(index, element < types.size() ? types[element] : nullptr));
    elements_[elements.begin + element] = unite(storages);
    all.append(storages.begin(), storages.end());
  }
  return uniteList(all);
}

} // namespace ccgraph::legality
