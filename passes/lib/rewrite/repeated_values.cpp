#include "rewrite/repeated_values.h"

#include "llvm/ADT/Hashing.h"

namespace ccgraph {

namespace {

/// Longest chain of operands that is compared. Shards are cast, padded and viewed before they are gathered; a longer
/// chain is a computation that a program repeats to save memory.
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

/// Returns true for a call of an operator that only computes a result, and has no ordering edge.
bool RepeatedValues::isPure(const Node *node) const {
  return node->op() && facts_.domain(node) == Domain::None && !facts_.launches(node) && !facts_.waits(node) &&
         node->numOrdering() == 0 &&
         llvm::none_of(facts_.accesses(node), [](const StorageAccess &access) { return writes(access.access); });
}

uint64_t RepeatedValues::keyOf(const Node *call) const {
  llvm::hash_code hash = llvm::hash_combine(call->op(), hashIntegers(call->args()));
  const Node *value = call->numOperands() > 0 ? call->operand(0) : nullptr;
  for (size_t step = 0; value && step < mostSteps && isPure(value) && value->numOperands() == 1; ++step) {
    hash = llvm::hash_combine(hash, value->op(), hashIntegers(value->args()));
    value = value->operand(0);
  }
  // A value that two others yield may be repeated, so it counts as what it is, not as the node.
  bool repeatable = value && isPure(value) && value->numOperands() > 0;
  // The tables that use the key reserve its two largest values.
  return llvm::hash_combine(hash, repeatable ? static_cast<const void *>(value->op()) : value) >> 1;
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
  if (left.size() != right.size() || !isUnchanged(first, again))
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
  if (pairs.size() == mostSteps || position_[first->id()] > position_[again->id()] || !isPure(first) ||
      !isPure(again) || !sameCall(*first, *again) || !mayShareResult(first, again))
    return false;
  pairs.push_back({first, again});
  return matchOperands(first, again, pairs);
}

std::optional<RepeatedValues::Pairs> RepeatedValues::match(Node *first, Node *again) const {
  Pairs pairs;
  if (!sameCall(*first, *again) || !matchOperands(first, again, pairs))
    return std::nullopt;
  llvm::sort(pairs, [](const Pair &a, const Pair &b) { return b.again->isBefore(a.again); });
  auto isRemoved = [&](const Node *node) {
    return node == again || llvm::any_of(pairs, [&](const Pair &pair) { return pair.again == node; });
  };
  for (const Pair &pair : pairs)
    if (!llvm::all_of(pair.again->uses(), [&](const Use &use) { return isRemoved(use.user()); }))
      return std::nullopt;
  return pairs;
}

} // namespace ccgraph
