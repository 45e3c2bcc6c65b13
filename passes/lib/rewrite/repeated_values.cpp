#include "rewrite/repeated_values.h"

#include "ccgraph/ir/work.h"

#include "llvm/ADT/Hashing.h"

namespace ccgraph {

namespace {

/// Most repeated steps of one collective.
constexpr size_t mostSteps = 16;

bool sameCall(const Node &a, const Node &b) {
  auto sameNamed = [](const NamedArgument &x, const NamedArgument &y) {
    return x.name == y.name && sameArgument(x.value, y.value);
  };
  return a.op() && a.op() == b.op() && a.type() == b.type() &&
         std::equal(a.args().begin(), a.args().end(), b.args().begin(), b.args().end(), sameArgument) &&
         std::equal(a.kwargs().begin(), a.kwargs().end(), b.kwargs().begin(), b.kwargs().end(), sameNamed);
}

/// Combines the integers, which distinguish the slices of one buffer.
llvm::hash_code hashIntegers(llvm::ArrayRef<Argument> arguments) {
  llvm::hash_code hash = arguments.size();
  for (const Argument &argument : arguments) {
    if (argument.is(Argument::Kind::Int))
      hash = llvm::hash_combine(hash, argument.integer());
    if (argument.isSequence())
      hash = llvm::hash_combine(hash, hashIntegers(argument.elements()));
  }
  return hash;
}

} // namespace

void RepeatedValues::advance(const Node *node) {
  position_[node->id()] = ++passed_;
  for (StorageId storage : facts_.rewrites(node))
    lastWrite_[storage] = passed_;
  if (facts_.waits(node))
    return;
  if (facts_.domain(node) == Domain::All)
    lastOpaque_ = passed_;
  for (const StorageAccess &access : facts_.accesses(node))
    if (writes(access.access))
      lastWrite_[access.storage] = passed_;
}

/// Returns true for a call of an operator that only moves or casts data, and has no ordering edge.
bool RepeatedValues::mayRepeat(const Node *node) const {
  if (!node->op() || node->numOperands() == 0 || facts_.domain(node) != Domain::None || facts_.launches(node) ||
      facts_.waits(node) || node->numOrdering() > 0)
    return false;
  WorkFamily family = workFamily(*node->op());
  return (family == WorkFamily::None || family == WorkFamily::Movement) &&
         llvm::none_of(facts_.accesses(node), [](const StorageAccess &access) { return writes(access.access); });
}

/// Hashes the operators and integers of the call and of the steps before it that may be repeated, breadth first; other
/// values count as themselves.
uint64_t RepeatedValues::keyOf(const Node *call) const {
  llvm::hash_code hash = 0;
  llvm::SmallVector<const Node *, 2 *mostSteps> queue = {call};
  for (size_t next = 0; next < queue.size(); ++next) {
    const Node *node = queue[next];
    const bool isStep = node == call || mayRepeat(node);
    hash = llvm::hash_combine(hash, isStep ? static_cast<const void *>(node->op()) : node);
    if (!isStep || next >= mostSteps)
      continue;
    hash = llvm::hash_combine(hash, hashIntegers(node->args()));
    for (const Use &use : node->operandUses())
      queue.push_back(use.def());
  }
  // The tables that use the key reserve its two largest values.
  return static_cast<uint64_t>(hash) >> 1;
}

/// Returns true if no step between the two writes what the second one accesses.
bool RepeatedValues::isUnchanged(const Node *first, const Node *again) const {
  const uint32_t since = position_[first->id()];
  return lastOpaque_ <= since && llvm::all_of(facts_.accesses(again), [&](const StorageAccess &access) {
           return lastWrite_[access.storage] <= since;
         });
}

/// Returns true if no step can distinguish the result of one from that of the other: neither is written, and a view is
/// not reshaped in place, which other views of the tensor would not show.
bool RepeatedValues::mayShareResult(const Node *first, const Node *again) const {
  if (facts_.isReshaped(first) || facts_.isReshaped(again))
    return false;
  if (!effectsOf(*again).freshResult)
    return true;
  auto isWritten = [&](const Node *node) {
    return llvm::any_of(facts_.storages().storages(node), [&](StorageId storage) { return written_[storage]; });
  };
  return !isWritten(first) && !isWritten(again);
}

bool RepeatedValues::matchOperands(Node *first, Node *again, Pairs &pairs) const {
  llvm::ArrayRef<Use> left = first->operandUses(), right = again->operandUses();
  if (left.size() != right.size())
    return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].isOrdering() != right[i].isOrdering())
      return false;
    if (left[i].def() != right[i].def() && (left[i].isOrdering() || !matchStep(left[i].def(), right[i].def(), pairs)))
      return false;
  }
  return true;
}

bool RepeatedValues::matchStep(Node *first, Node *again, Pairs &pairs) const {
  if (llvm::any_of(pairs, [&](const Pair &pair) { return pair.again == again; }))
    return llvm::any_of(pairs, [&](const Pair &pair) { return pair.again == again && pair.first == first; });
  if (pairs.size() == mostSteps || position_[first->id()] > position_[again->id()] || !sameCall(*first, *again) ||
      !mayRepeat(first) || !mayRepeat(again))
    return false;
  pairs.push_back({first, again});
  return matchOperands(first, again, pairs);
}

std::optional<RepeatedValues::Pairs> RepeatedValues::match(Node *first, Node *again) const {
  Pairs pairs;
  if (!sameCall(*first, *again) || !matchOperands(first, again, pairs) || !isUnchanged(first, again))
    return std::nullopt;
  llvm::sort(pairs, [](const Pair &a, const Pair &b) { return b.again->isBefore(a.again); });
  auto isRemoved = [&](const Node *node) {
    return node == again || llvm::any_of(pairs, [&](const Pair &pair) { return pair.again == node; });
  };
  for (const Pair &pair : pairs)
    if (!isUnchanged(pair.first, pair.again) || !mayShareResult(pair.first, pair.again) ||
        !llvm::all_of(pair.again->uses(), [&](const Use &use) { return isRemoved(use.user()); }))
      return std::nullopt;
  return pairs;
}

} // namespace ccgraph
