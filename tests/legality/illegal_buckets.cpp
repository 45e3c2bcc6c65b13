// Illegal edits of collectives and of the buckets into which they were merged.
#include "legality/illegal_edits.h"
#include "support/buckets.h"
#include "support/rewrites.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::test {

namespace {

/// Replaces every string `from` in the node's arguments by `to`.
void renameText(Node *node, llvm::StringRef from, llvm::StringRef to) {
  Graph &graph = *node->graph();
  ArgumentBuilder builder(graph);
  std::vector<Argument> positional;
  for (const Argument &argument : node->args()) {
    bool same = argument.is(Argument::Kind::String) && argument.text() == from;
    positional.push_back(same ? builder.string(to)
                              : builder.copy(argument, [&](uint32_t i) { return node->operand(i); }));
  }
  graph.setArguments(node, std::move(builder), {positional, {}});
}

/// Returns the launch itself. If the pass must leave the launch alone and the edit is covered up, returns a copy.
Node *editable(Trial &trial, Node *launch) {
  if (!trial.coverUp || !trial.result.before->find(launch))
    return launch;
  return replaceByCopy(trial, launch, [&](uint32_t i) { return launch->operand(i); });
}

MergedEntry *anyBucket(Trial &trial, BucketLayout layout) {
  std::vector<MergedEntry *> entries;
  for (MergedEntry &entry : trial.certificate().merged)
    if (entry.layout == layout)
      entries.push_back(&entry);
  return entries.empty() ? nullptr : trial.random.of(entries);
}

bool numbersOnly(const Type *type) {
  return type && type->isTensor() && llvm::all_of(type->sizes(), [](const Dim &size) { return size.isStatic(); });
}

/// Returns true for a functional collective of one tensor with one wait, of a kind that has a coalesced form.
bool isGroupable(const Node &node) {
  const CollectiveSpec *spec = collectiveOf(node);
  if (!spec || spec->inPlace || spec->coalesced || spec->output >= 0 || spec->legacy || node.numOperands() != 1 ||
      !onlyWait(&node))
    return false;
  bool coalesces = spec->kind == CollectiveKind::AllReduce || spec->kind == CollectiveKind::AllGather ||
                   spec->kind == CollectiveKind::ReduceScatter;
  return coalesces && numbersOnly(node.operand(0)->type()) && numbersOnly(node.type()) && node.kwargs().empty() &&
         node.target().str().startswith("_c10d_functional.");
}

bool sameKind(const Node *a, const Node *b) {
  auto sameLiteral = [](const Argument &x, const Argument &y) { return sameArgument(x, y); };
  return a->target() == b->target() &&
         std::equal(a->args().begin() + 1, a->args().end(), b->args().begin() + 1, b->args().end(), sameLiteral) &&
         a->operand(0)->type()->dtype() == b->operand(0)->type()->dtype();
}

} // namespace

bool useAnotherGroup(Trial &trial) {
  auto launches = nodesWhere(trial.graph(), [](const Node &node) {
    auto call = collectiveCall(node);
    return call && !call->group.empty();
  });
  if (launches.empty())
    return false;
  Node *launch = trial.random.of(launches);
  std::string group = collectiveCall(*launch)->group.str();
  renameText(editable(trial, launch), group, group + "_other");
  if (trial.coverUp)
    stateAllOrders(trial);
  return true;
}

bool useAnotherReduction(Trial &trial) {
  auto launches = nodesWhere(trial.graph(), [](const Node &node) {
    auto call = collectiveCall(node);
    return call && !call->reduceOp.empty();
  });
  if (launches.empty())
    return false;
  Node *launch = trial.random.of(launches);
  std::string reduction = collectiveCall(*launch)->reduceOp;
  renameText(editable(trial, launch), reduction, reduction == "max" ? "min" : "max");
  return true;
}

/// Merges two collectives, one of which depends on the other.
bool mergeAcrossDependence(Trial &trial) {
  auto launches = nodesWhere(trial.graph(), isGroupable);
  std::vector<std::pair<Node *, Node *>> pairs;
  for (size_t i = 0; i < launches.size(); ++i)
    for (size_t k = i + 1; k < std::min(i + 8, launches.size()); ++k)
      if (sameKind(launches[i], launches[k]))
        pairs.emplace_back(launches[i], launches[k]);
  llvm::erase_if(pairs, [](const auto &pair) { return !reaches(pair.first, pair.second); });
  if (pairs.empty())
    return false;
  auto [first, second] = trial.random.of(pairs);
  Certificate own;
  Certificate &certificate = trial.coverUp ? trial.certificate() : own;
  mergeByHand({first, second}, trial.random.below(2) ? BucketLayout::Flat : BucketLayout::Grouped, certificate);
  if (trial.coverUp)
    stateAllOrders(trial);
  return true;
}

namespace {

/// Changes the literals of a node that takes a piece of a buffer; returns false if it takes none. A piece without
/// elements, such as what an all_to_all sends to a rank that gets nothing, is the same wherever it begins.
bool shiftPiece(Node *node) {
  llvm::StringRef target = node->target().str();
  auto number = [&](unsigned i) { return node->args()[i].integer(); };
  if (target == "aten.slice.Tensor" || target == "aten.narrow.default") {
    int64_t size = node->operand(0)->type()->sizes()[number(1)].value();
    bool slice = target == "aten.slice.Tensor";
    int64_t end = slice ? number(3) : number(2) + number(3);
    int64_t by = end < size ? 1 : -1;
    if (number(2) + by < 0 || end == number(2))
      return false;
    setCall(node, {node->operand(0), number(1), number(2) + by, slice ? number(3) + by : number(3)});
    return true;
  }
  return false;
}

/// Replaces the element that a getitem takes by the next one of the same type.
bool shiftItem(const MergedEntry &entry, Node *node) {
  if (!isGetItem(*node))
    return false;
  for (Node *other : entry.scaffold)
    if (other != node && isGetItem(*other) && other->operand(0) == node->operand(0) && other->type() == node->type()) {
      setCall(node, {node->operand(0), other->args()[1].integer()});
      return true;
    }
  return false;
}

} // namespace

bool takeWrongSlice(Trial &trial) {
  MergedEntry *entry = anyBucket(trial, trial.random.below(3) ? BucketLayout::Flat : BucketLayout::Grouped);
  if (!entry || entry->scaffold.empty())
    return false;
  size_t start = trial.random.below(entry->scaffold.size());
  for (size_t i = 0; i < entry->scaffold.size(); ++i) {
    Node *node = entry->scaffold[(start + i) % entry->scaffold.size()];
    if (!shiftPiece(node) && !shiftItem(*entry, node))
      continue;
    if (trial.coverUp)
      ++trial.random.of(std::vector<BucketMember *>{&entry->members[0], &entry->members.back()})->offset;
    return true;
  }
  return false;
}

/// Returns what a member sent.
static Node *inputOf(const Trial &trial, const BucketMember &member) {
  return trial.result.before->operands(*trial.result.before->find(member.launch))[0];
}

/// Lets the readers of one member's result read another result of the same type.
bool swapReplacements(Trial &trial) {
  MergedEntry *entry = anyBucket(trial, trial.random.below(2) ? BucketLayout::Flat : BucketLayout::Grouped);
  if (!entry)
    return false;
  std::vector<std::pair<BucketMember *, BucketMember *>> pairs;
  for (size_t i = 0; i < entry->members.size(); ++i)
    for (size_t k = i + 1; k < std::min(i + 8, entry->members.size()); ++k) {
      BucketMember &a = entry->members[i];
      BucketMember &b = entry->members[k];
      bool twins = inputOf(trial, a) == inputOf(trial, b);
      if (!twins && a.replacement->type() == b.replacement->type() &&
          (a.replacement->hasDataUses() || b.replacement->hasDataUses()))
        pairs.emplace_back(&a, &b);
    }
  if (pairs.empty())
    return false;
  auto [a, b] = trial.random.of(pairs);
  Node *place = makeCall(trial.graph().output(), "place", "aten.alias.default", {});
  trial.graph().replaceAllUses(a->replacement, place);
  trial.graph().replaceAllUses(b->replacement, a->replacement);
  trial.graph().replaceAllUses(place, b->replacement);
  trial.graph().erase(place);
  if (trial.coverUp)
    std::swap(a->replacement, b->replacement);
  return true;
}

/// Follows nodes that only move one value up to the value that they move.
static const Node *root(const Node *node) {
  bool moves = node->numOperands() == 1 && !collectiveOf(*node) &&
               (isViewLike(*node) || node->target().str().startswith("aten.reshape"));
  return moves ? root(node->operand(0)) : node;
}

/// Fills the bucket in another order than it is emptied.
bool swapMembers(Trial &trial) {
  MergedEntry *entry = anyBucket(trial, trial.random.below(2) ? BucketLayout::Flat : BucketLayout::Grouped);
  if (!entry)
    return false;
  std::vector<std::pair<Node *, unsigned>> places;
  std::vector<Node *> nodes = entry->scaffold;
  nodes.push_back(entry->launch);
  for (Node *node : nodes)
    for (unsigned i = 0; i + 1 < node->numOperands(); ++i)
      if (root(node->operand(i)) != root(node->operand(i + 1)) &&
          (node == entry->launch || node->target().str().startswith("aten.cat")))
        places.emplace_back(node, i);
  if (places.empty())
    return false;
  auto [node, index] = trial.random.of(places);
  Node *first = node->operand(index);
  trial.graph().setOperand(node, index, node->operand(index + 1));
  trial.graph().setOperand(node, index + 1, first);
  if (trial.coverUp && index + 1 < entry->members.size()) {
    BucketMember &a = entry->members[index];
    BucketMember &b = entry->members[index + 1];
    std::swap(a.offset, b.offset);
    std::swap(a.length, b.length);
  }
  return true;
}

} // namespace ccgraph::test
