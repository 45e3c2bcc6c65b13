#include "legality/legal_edits.h"

#include "legality/illegal_edits.h"
#include "support/buckets.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/ir/storage.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::test {

namespace {

bool needs(const Node *later, const Node *earlier) {
  return llvm::any_of(later->operandUses(), [&](const Use &use) { return use.def() == earlier; });
}

bool writesSomething(const Effects &effects) {
  return llvm::any_of(effects.operands,
                      [](Access access) { return hasAny(access, Access::Write | Access::InFlightWrite); });
}

/// Returns true if the launch sends or receives, or may do so as a wrapper of several calls.
bool transfers(const Node &launch) {
  const Node *call = wrappedCall(launch);
  const CollectiveSpec *spec = call ? collectiveOf(*call) : nullptr;
  return !call || (spec && isPointToPoint(spec->kind));
}

/// Returns true if the order of a step against others may matter for more than its edges.
bool isTouchy(const Node &node) {
  Effects effects = effectsOf(node);
  return writesSomething(effects) || effects.waits || effects.launches || effects.domain != Domain::None ||
         node.opcode() != Opcode::CallFunction;
}

bool shareStorage(const StorageMap &storages, const Node *a, const Node *b) {
  auto values = [](const Node *node) {
    llvm::SmallVector<const Node *, 8> all{node};
    for (const Use &use : node->operandUses())
      all.push_back(use.def());
    return all;
  };
  for (const Node *x : values(a))
    for (const Node *y : values(b))
      if (storages.mayAlias(x, y))
        return true;
  return false;
}

bool independent(const StorageMap &storages, const Node *first, const Node *second) {
  if (needs(second, first) || first->opcode() != Opcode::CallFunction || second->opcode() != Opcode::CallFunction)
    return false;
  if (!isTouchy(*first) && !isTouchy(*second))
    return true;
  Effects one = effectsOf(*first);
  Effects other = effectsOf(*second);
  bool domains = one.domain != Domain::None && other.domain != Domain::None;
  // A wait completes what its launch does to storages that the wait does not name.
  bool released = (one.waits && writesSomething(other)) || (other.waits && writesSomething(one));
  // A rank that waits sends nothing to the rank for which it may be waiting.
  bool blocked = one.launches && other.waits && transfers(*first);
  return !domains && !released && !blocked && !shareStorage(storages, first, second);
}

bool isPlainCollective(const Node &node) {
  const CollectiveSpec *spec = collectiveOf(node);
  bool numbers = node.type() && node.type()->isTensor() && node.type()->numElements() && node.numOperands() == 1 &&
                 node.operand(0)->type() && node.operand(0)->type()->isContiguous() &&
                 node.operand(0)->type()->numElements();
  return spec && !spec->inPlace && !spec->coalesced && spec->output < 0 && !spec->legacy &&
         !isPointToPoint(spec->kind) && numbers && onlyWait(&node) && node.numOrdering() == 0 &&
         onlyWait(&node)->numOrdering() == 0;
}

bool mergeable(const Node *a, const Node *b) {
  if (a->target() != b->target() || groupIdOf(*a).text != groupIdOf(*b).text ||
      a->operand(0)->type()->dtype() != b->operand(0)->type()->dtype() ||
      !(a->operand(0)->type()->device() == b->operand(0)->type()->device()))
    return false;
  if (collectiveOf(*a)->kind == CollectiveKind::AllToAll)
    return true;
  return std::equal(a->args().begin() + 1, a->args().end(), b->args().begin() + 1, b->args().end(), sameArgument);
}

/// Returns collectives from `first` on that precede any wait on them, up to `count`, without others of their group in
/// between.
std::vector<Node *> neighbours(Node *first, size_t count) {
  std::vector<Node *> members{first};
  const Node *firstWait = onlyWait(first);
  for (Node *node = first->next(); node && node != firstWait && members.size() < count; node = node->next()) {
    if (!collectiveOf(*node) || groupIdOf(*node).text != groupIdOf(*first).text)
      continue;
    if (!isPlainCollective(*node) || !mergeable(first, node))
      break;
    members.push_back(node);
  }
  return members;
}

bool writesBetween(const StorageMap &storages, llvm::ArrayRef<Node *> members) {
  for (const Node *node = members.front(); node != members.back(); node = node->next()) {
    Effects effects = effectsOf(*node);
    for (unsigned i = 0; i < node->numOperands(); ++i)
      if (hasAny(effects.operands[i], Access::Write | Access::InFlightWrite) || effects.domain == Domain::All)
        for (const Node *member : members)
          if (storages.mayAlias(member->operand(0), node->operand(i)))
            return true;
    if (effects.domain == Domain::All)
      return true;
  }
  return false;
}

bool hasGroupedForm(const Node *launch) {
  CollectiveKind kind = collectiveOf(*launch)->kind;
  return kind == CollectiveKind::AllReduce || kind == CollectiveKind::AllGather ||
         kind == CollectiveKind::ReduceScatter;
}

} // namespace

bool swapNeighbours(LegalResult &result, Random &random, size_t count) {
  StorageMap storages(*result.graph);
  std::vector<Node *> nodes = result.graph->nodes();
  bool any = false;
  for (size_t i = 0; i < count; ++i) {
    Node *first = random.of(nodes);
    Node *second = first->next();
    if (!second || !independent(storages, first, second))
      continue;
    result.graph->moveBefore(second, first);
    any = true;
  }
  return any;
}

bool mergeNeighbours(LegalResult &result, Random &random) {
  StorageMap storages(*result.graph);
  std::vector<std::vector<Node *>> buckets;
  for (Node *node : nodesWhere(*result.graph, isPlainCollective)) {
    auto members = neighbours(node, 2 + random.below(5));
    if (members.size() > 1 && !writesBetween(storages, members))
      buckets.push_back(std::move(members));
  }
  if (buckets.empty())
    return false;
  const auto &members = random.of(buckets);
  bool grouped = hasGroupedForm(members[0]) && random.below(2);
  mergeByHand(members, grouped ? BucketLayout::Grouped : BucketLayout::Flat, result.certificate);
  return true;
}

bool dropDead(LegalResult &result, Random &random) {
  auto dead = nodesWhere(
      *result.graph, [](const Node &node) { return !node.hasUses() && !isTouchy(node) && node.numOrdering() == 0; });
  if (dead.empty())
    return false;
  Node *node = random.of(dead);
  result.graph->erase(node);
  result.certificate.removed.push_back({RemovedReason::Dead, node, nullptr});
  return true;
}

} // namespace ccgraph::test
