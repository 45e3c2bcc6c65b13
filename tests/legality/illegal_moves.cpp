// Illegal edits that only move nodes, or lose an ordering edge.
#include "legality/illegal_edits.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/ir/storage.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::test {

namespace {

/// Moves have no entry of their own, so the cover-up is the entry that a pass makes for moves: the present order.
bool done(Trial &trial) {
  if (trial.coverUp)
    stateAllOrders(trial);
  return true;
}

bool isLaunch(const Node &node) { return collectiveOf(node) != nullptr; }

/// The accesses of one node to one storage, as a pair of bits.
struct Touch {
  Node *node = nullptr;
  bool reads = false;
  bool writes = false;
};

/// Returns the accesses by storage, in program order, without waits and views.
std::vector<std::vector<Touch>> touchesOf(const Graph &graph, const StorageMap &storages) {
  std::vector<std::vector<Touch>> touches(storages.numStorages());
  for (Node *node : graph.nodes()) {
    Effects effects = effectsOf(*node);
    for (unsigned i = 0; i < node->numOperands() && !effects.waits; ++i) {
      bool reads = hasAny(effects.operands[i], Access::Read | Access::InFlightRead);
      bool writes = hasAny(effects.operands[i], Access::Write | Access::InFlightWrite);
      for (StorageId storage : reads || writes ? storages.storages(node->operand(i)) : llvm::ArrayRef<StorageId>())
        touches[storage].push_back({node, reads, writes});
    }
  }
  return touches;
}

} // namespace

bool swapCollectives(Trial &trial) {
  std::vector<std::pair<Node *, Node *>> pairs;
  llvm::StringMap<Node *> last;
  for (Node *node : nodesWhere(trial.graph(), isLaunch)) {
    Node *&previous = last[groupIdOf(*node).text];
    if (previous && operandsBefore(node, previous))
      pairs.emplace_back(previous, node);
    previous = node;
  }
  if (pairs.empty())
    return false;
  auto [first, second] = trial.random.of(pairs);
  trial.graph().moveBefore(second, first);
  return true;
}

bool moveBeforeOperand(Trial &trial) {
  auto nodes = nodesWhere(
      trial.graph(), [](const Node &node) { return node.opcode() == Opcode::CallFunction && node.numOperands() > 0; });
  if (nodes.empty())
    return false;
  Node *node = trial.random.of(nodes);
  trial.graph().moveBefore(node, node->operand(static_cast<unsigned>(trial.random.below(node->numOperands()))));
  return done(trial);
}

bool moveWaitAfterUse(Trial &trial) {
  auto waits = nodesWhere(trial.graph(), [](const Node &node) { return isWait(node) && node.hasDataUses(); });
  if (waits.empty())
    return false;
  Node *wait = trial.random.of(waits);
  std::vector<Node *> users;
  for (const Use &use : wait->uses())
    if (!use.isOrdering() && use.user()->opcode() == Opcode::CallFunction)
      users.push_back(use.user());
  if (users.empty())
    return false;
  trial.graph().moveAfter(wait, trial.random.of(users));
  return done(trial);
}

/// Moves a reader of a buffer before the write that filled it, if only the storage forbids it.
bool moveReadBeforeWrite(Trial &trial) {
  StorageMap storages(trial.graph());
  std::vector<std::pair<Node *, Node *>> pairs;
  for (const auto &touches : touchesOf(trial.graph(), storages))
    for (size_t i = 0; i + 1 < touches.size(); ++i)
      for (size_t k = i + 1; k < std::min(i + 4, touches.size()); ++k)
        if (touches[i].writes && touches[k].reads && touches[i].node != touches[k].node &&
            touches[k].node->opcode() == Opcode::CallFunction && operandsBefore(touches[k].node, touches[i].node))
          pairs.emplace_back(touches[i].node, touches[k].node);
  if (pairs.empty())
    return false;
  auto [write, read] = trial.random.of(pairs);
  trial.graph().moveBefore(read, write);
  return done(trial);
}

/// Moves a write before the preceding wait, while a launch still reads the written memory.
bool moveWriteIntoFlight(Trial &trial) {
  StorageMap storages(trial.graph());
  auto touches = touchesOf(trial.graph(), storages);
  std::vector<std::pair<Node *, Node *>> pairs;
  for (Node *launch : nodesWhere(trial.graph(), isLaunch)) {
    Effects effects = effectsOf(*launch);
    for (unsigned i = 0; i < launch->numOperands(); ++i) {
      if (!has(effects.operands[i], Access::InFlightRead))
        continue;
      for (StorageId storage : storages.storages(launch->operand(i)))
        for (const Touch &touch : touches[storage])
          if (touch.writes && launch->isBefore(touch.node) && operandsBefore(touch.node, launch))
            pairs.emplace_back(launch, touch.node);
    }
  }
  if (pairs.empty())
    return false;
  auto [launch, write] = trial.random.of(pairs);
  if (launch->next() == write)
    return false;
  trial.graph().moveAfter(write, launch);
  return done(trial);
}

/// Swaps two random or two host-visible steps, or moves a step with an effect past an opaque one.
bool moveAcrossDomain(Trial &trial) {
  std::vector<std::pair<Node *, Node *>> pairs;
  Node *last[static_cast<size_t>(Domain::All) + 1] = {};
  for (Node *node : trial.graph().nodes()) {
    Domain domain = effectsOf(*node).domain;
    if (domain == Domain::None)
      continue;
    for (Domain other : {Domain::Rng, Domain::Host, Domain::Comm, Domain::All}) {
      Node *earlier = last[static_cast<size_t>(other)];
      bool ordered = (domain == other && domain != Domain::Comm) || domain == Domain::All || other == Domain::All;
      if (earlier && ordered && operandsBefore(node, earlier))
        pairs.emplace_back(earlier, node);
    }
    last[static_cast<size_t>(domain)] = node;
  }
  if (pairs.empty())
    return false;
  auto [first, second] = trial.random.of(pairs);
  trial.graph().moveBefore(second, first);
  return done(trial);
}

bool dropOrderingEdge(Trial &trial) {
  auto nodes = nodesWhere(trial.graph(), [](const Node &node) { return node.numOrdering() > 0; });
  if (nodes.empty())
    return false;
  Node *node = trial.random.of(nodes);
  trial.graph().removeOrdering(node, node->ordering(static_cast<unsigned>(trial.random.below(node->numOrdering()))));
  return done(trial);
}

} // namespace ccgraph::test
