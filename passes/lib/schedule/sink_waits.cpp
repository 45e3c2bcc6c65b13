// sink-waits: ..., wait, a, b, use  ->  ..., a, b, wait, use
//
// A later wait gives the collective more computation to overlap with, at no cost: the wait only has to precede the
// first step that accesses the tensors which it completes. Views, getitem and other waits do not access elements, so
// those in between move along, as long as the shapes of their operands stay the same.
#include "analysis/lifetimes.h"
#include "analysis/step_counter.h"
#include "analysis/what_if.h"
#include "ccgraph/passes/registry.h"

namespace ccgraph {

namespace {

class SinkWaits final : public Pass {
public:
  SinkWaits()
      : Pass({"sink-waits", "Moves each wait to just before the first node that reads or writes the awaited result.",
              Phase::Schedule}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<SinkWaits>(); }

private:
  Statistic moved_{*this, "moved", "waits that moved to a later position"};
  Statistic positions_{*this, "positions",
                       "nodes now issued before the waits that they followed, summed over the waits"};
  Statistic kept_{*this, "kept", "waits that were at their first use already, or that the memory budget kept in place"};
  Reason sunk_{*this, RemarkKind::Moved, "sunk", "the wait is now just before the first use of its result"};
  Reason partly_{*this, RemarkKind::Moved, "sunk-to-budget",
                 "the wait is as late as the memory budget allows, since its operands stay live until it"};
  Reason atFirstUse_{*this, RemarkKind::Kept, "at-first-use", "the wait was just before its first use already"};
  Reason budget_{*this, RemarkKind::Missed, "over-budget", "one position later would exceed the memory budget"};
  friend class Sinker;
};

/// One run: visits the program backwards and keeps, for each storage, the nearest later node that a wait must not pass.
class Sinker {
public:
  Sinker(SinkWaits &pass, Graph &graph, PassContext &context)
      : pass_(pass), graph_(graph), context_(context), facts_(context.analyses().facts()),
        touched_(facts_.storages().numStorages()), written_(touched_.size()), reshaped_(touched_.size()),
        fixedOf_(graph.idLimit()), headOf_(graph.idLimit()),
        steps_(graph, [&](const Node *node) { return !facts_.waits(node) && !facts_.views(node); }) {
    if (context.memoryBudget()) {
      StorageLives lives = storageLives(graph, facts_.storages(), facts_.asyncPairs());
      memory_.emplace(liveMemory(graph, lives));
      for (const StorageLife &life : lives.storages)
        lastOnly_.push_back(life.lastWaitOnly);
    }
  }
  Changed run();

private:
  void note(Node *node);
  void sink(Node *wait);
  [[nodiscard]] Node *barrierOf(Node *wait);
  void nearest(Node *&barrier, Node *candidate) const;
  void collectUsers(Node *value, Node *&barrier);
  [[nodiscard]] Node *slotBefore(Node *barrier) const;
  int64_t moveBefore(Node *wait, Node *slot, Node *fixed);
  void place(Node *node, Node *before);
  /// The node before which a wait is moved, and the bytes of budget that it lacked to move further.
  struct Reached {
    Node *node = nullptr;
    int64_t lacks = 0;
  };
  [[nodiscard]] Reached withinBudget(Node *wait, Node *barrier) const;
  void report(Node *wait, const Reached &reached, int64_t passed);

  SinkWaits &pass_;
  Graph &graph_;
  PassContext &context_;
  const ProgramFacts &facts_;
  std::optional<LiveBytes> memory_;
  /// by storage, if there is a budget: of the waits that hold it, only the last is counted as a holder in memory_
  std::vector<bool> lastOnly_;
  std::vector<Node *> touched_;  ///< by storage: nearest later node that reads, writes or waits for it
  std::vector<Node *> written_;  ///< by storage: nearest later node that writes it
  std::vector<Node *> reshaped_; ///< by storage: nearest later node that reshapes a tensor in it
  Node *nearestOpaque_ = nullptr;
  std::vector<Node *> fixedOf_; ///< by id of a moved node: the node before which it was moved
  std::vector<Node *> headOf_;  ///< by id of such a node: the first node moved before it
  StepCounter steps_;
  llvm::SmallVector<Node *, 8> views_; ///< of the current wait, between it and its new position
};

/// A wait counts as an access to its storages, because the waits of one value keep their order: the first wait
/// completes it.
void Sinker::note(Node *node) {
  bool wait = facts_.waits(node);
  if (!wait && facts_.domain(node) == Domain::All)
    nearestOpaque_ = node;
  for (const StorageAccess &access : facts_.accesses(node)) {
    if (wait || touches(access.access))
      touched_[access.storage] = node;
    if (writes(access.access))
      written_[access.storage] = node;
    if (reshapes(access.access))
      reshaped_[access.storage] = node;
  }
  for (StorageId storage : facts_.rewrites(node))
    touched_[storage] = written_[storage] = node;
}

void Sinker::nearest(Node *&barrier, Node *candidate) const {
  if (candidate && (!barrier || candidate->isBefore(barrier)))
    barrier = candidate;
}

void Sinker::collectUsers(Node *value, Node *&barrier) {
  for (const Use &use : value->uses()) {
    Node *user = use.user();
    if (use.isOrdering() || !facts_.views(user)) {
      nearest(barrier, user);
    } else if (!llvm::is_contained(views_, user)) {
      views_.push_back(user);
      collectUsers(user, barrier);
    }
  }
}

Node *Sinker::barrierOf(Node *wait) {
  Node *barrier = graph_.output();
  nearest(barrier, nearestOpaque_);
  for (const StorageAccess &access : facts_.accesses(wait))
    nearest(barrier, touched_[access.storage]);
  for (StorageId storage : facts_.rewrites(wait))
    nearest(barrier, touched_[storage]);
  for (const StorageAccess &access : facts_.endedAccesses(wait))
    nearest(barrier, has(access.access, Access::InFlightWrite) ? touched_[access.storage] : written_[access.storage]);
  views_.clear();
  collectUsers(wait, barrier);
  for (const Node *view : views_)
    for (const StorageAccess &access : facts_.accesses(view))
      nearest(barrier, reshaped_[access.storage]);
  return barrier;
}

/// Returns how far down the wait may move, and the bytes that it lacks to reach the barrier.
Sinker::Reached Sinker::withinBudget(Node *wait, Node *barrier) const {
  if (!memory_)
    return {barrier};
  // Tensors of its collective would live longer, and memory_ does not count this wait as a holder of them.
  auto isCountedByLast = [&](const StorageAccess &access) { return lastOnly_[access.storage]; };
  if (llvm::any_of(facts_.accesses(wait), isCountedByLast) || llvm::any_of(facts_.endedAccesses(wait), isCountedByLast))
    return {wait->next(), wait->type() ? wait->type()->numBytes().value_or(1) : 1};
  WhatIf sunk(*memory_, wait);
  Node *over = sunk.firstOver(wait->next(), barrier, *context_.memoryBudget());
  return over ? Reached{over, sunk.peakOfPassed(wait->next(), barrier) - *context_.memoryBudget()} : Reached{barrier};
}

/// Waits that were moved before the same node keep their order, so a new one goes before all of them.
Node *Sinker::slotBefore(Node *barrier) const {
  if (Node *fixed = fixedOf_[barrier->id()])
    barrier = fixed;
  Node *head = headOf_[barrier->id()];
  return head ? head : barrier;
}

void Sinker::place(Node *node, Node *before) {
  if (Node *fixed = fixedOf_[node->id()]; fixed && headOf_[fixed->id()] == node)
    headOf_[fixed->id()] = node->next() == fixed ? nullptr : node->next();
  if (memory_)
    memory_->move(node, before);
  else
    graph_.moveBefore(node, before);
  steps_.moved(node, before);
}

int64_t Sinker::moveBefore(Node *wait, Node *slot, Node *fixed) {
  int64_t passed = steps_.between(wait, slot);
  if (passed == 0)
    return 0;
  llvm::SmallVector<Node *, 8> along = {wait};
  for (Node *view : views_)
    if (view->isBefore(slot))
      along.push_back(view);
  llvm::sort(along, [](const Node *a, const Node *b) { return a->isBefore(b); });
  for (Node *node : along) {
    place(node, slot);
    fixedOf_[node->id()] = fixed;
  }
  headOf_[fixed->id()] = wait;
  return passed;
}

void Sinker::report(Node *wait, const Reached &reached, int64_t passed) {
  RemarkArgs args = {{"before", reached.node->name().str().str()}, {"positions", std::to_string(passed)}};
  if (passed > 0)
    ++pass_.moved_;
  else
    ++pass_.kept_;
  pass_.positions_ += passed;
  if (reached.lacks > 0)
    args.emplace_back("lacks", std::to_string(reached.lacks));
  if (reached.lacks > 0)
    context_.remark(passed > 0 ? pass_.partly_ : pass_.budget_, *wait, std::move(args));
  else
    context_.remark(passed > 0 ? pass_.sunk_ : pass_.atFirstUse_, *wait, std::move(args));
}

void Sinker::sink(Node *wait) {
  Reached reached = withinBudget(wait, barrierOf(wait));
  Node *slot = slotBefore(reached.node);
  Node *fixed = fixedOf_[reached.node->id()] ? fixedOf_[reached.node->id()] : reached.node;
  int64_t passed = slot->isBefore(wait) ? 0 : moveBefore(wait, slot, fixed);
  report(wait, reached, passed);
}

Changed Sinker::run() {
  if (!graph_.output())
    return Changed::No;
  std::vector<Node *> order = graph_.nodes();
  for (Node *node : llvm::reverse(order)) {
    if (facts_.waits(node))
      sink(node);
    note(node);
  }
  return pass_.moved_.value() ? Changed::Yes : Changed::No;
}

llvm::Expected<Changed> SinkWaits::run(Graph &graph, PassContext &context) {
  return Sinker(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createSinkWaits() { return std::make_unique<SinkWaits>(); }

} // namespace ccgraph
