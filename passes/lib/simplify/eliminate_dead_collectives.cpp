// eliminate-dead-collectives: c = f(a); w = wait(c), and no node reads w  ->  (nothing)
//
// A launch is removed together with its waits or kept together with them: half of a collective would leave the other
// ranks waiting. It is removed only if all ranks run this program, so that all of them remove it, and only for kinds
// that have no effect besides their result.
#include "ccgraph/passes/registry.h"

#include "analysis/program_facts.h"

#include "llvm/ADT/SetVector.h"

namespace ccgraph {

namespace {

class EliminateDeadCollectives final : public Pass {
public:
  EliminateDeadCollectives()
      : Pass({"eliminate-dead-collectives",
              "Removes each collective whose result has no user, with its waits and the views between them.",
              Phase::Simplify}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<EliminateDeadCollectives>(); }

private:
  Statistic removed_{*this, "removed", "collectives removed"};
  Statistic nodes_{*this, "nodes", "nodes removed: launches, waits and views"};
  Reason dead_{*this, RemarkKind::Removed, "dead", "its result had no user; its waits and views were removed too"};
  Reason kind_{*this, RemarkKind::Missed, "unsupported-kind",
               "its result has no user, but another rank may wait for it (point-to-point, barrier)"};
  Reason writes_{*this, RemarkKind::Missed, "writes", "its result has no user, but it writes a buffer of the graph"};
  Reason ordered_{*this, RemarkKind::Missed, "ordered", "its result has no user, but another node is ordered after it"};
  Reason shared_{*this, RemarkKind::Missed, "shared-wait",
                 "its result has no user, but its wait also waits for another value"};
  Reason spmd_{
      *this, RemarkKind::Missed, "not-spmd",
      "its result has no user on this rank, but ranks run different graphs and another rank may keep its part"};
  friend class DeadSearch;
};

/// The nodes that would be removed with one collective.
class DeadSearch {
public:
  DeadSearch(const EliminateDeadCollectives &pass, const ProgramFacts &facts, bool spmd)
      : pass_(pass), facts_(facts), spmd_(spmd) {}

  /// Returns true if only waits and views read the launch; then nodes() are the launch and these.
  bool isUnread(Node *launch) {
    nodes_.clear();
    nodes_.insert(launch);
    for (size_t i = 0; i < nodes_.size(); ++i)
      for (const Use &use : nodes_[i]->uses()) {
        Node *user = use.user();
        if (use.isOrdering())
          continue;
        if (!facts_.waits(user) && !facts_.views(user))
          return false;
        nodes_.insert(user);
      }
    return true;
  }

  [[nodiscard]] const Reason *obstacle(const Node &launch) const {
    if (!traitsOf(collectiveOf(launch)->kind).leavesOnlyResults)
      return &pass_.kind_;
    if (llvm::any_of(facts_.accesses(&launch), [](const StorageAccess &access) { return writes(access.access); }))
      return &pass_.writes_;
    for (Node *node : nodes_) {
      for (const Use &use : node->uses())
        if (!nodes_.contains(use.user()))
          return &pass_.ordered_;
      if (node == &launch)
        continue;
      for (unsigned i = 0; i < node->numOperands(); ++i)
        if (!nodes_.contains(node->operand(i)) && facts_.waits(node))
          return &pass_.shared_;
    }
    return spmd_ ? nullptr : &pass_.spmd_;
  }

  [[nodiscard]] llvm::ArrayRef<Node *> nodes() const { return nodes_.getArrayRef(); }

private:
  const EliminateDeadCollectives &pass_;
  const ProgramFacts &facts_;
  bool spmd_;
  llvm::SetVector<Node *> nodes_;
};

llvm::Expected<Changed> EliminateDeadCollectives::run(Graph &graph, PassContext &context) {
  const ProgramFacts &facts = context.analyses().facts();
  DeadSearch search(*this, facts, context.spmd());
  std::vector<Node *> order = graph.nodes();
  // A collective that feeds only a dead one is dead after it.
  for (Node *node : llvm::reverse(order)) {
    if (node->isErased() || !collectiveOf(*node) || !search.isUnread(node))
      continue;
    if (const Reason *reason = search.obstacle(*node)) {
      context.remark(*reason, *node);
      continue;
    }
    std::vector<Node *> dead = search.nodes().vec();
    context.remark(dead_, *node, {{"nodes", std::to_string(dead.size())}});
    llvm::sort(dead, [](const Node *a, const Node *b) { return b->isBefore(a); });
    for (Node *gone : dead) {
      context.certificate().removed.push_back({RemovedReason::Dead, gone, nullptr});
      graph.erase(gone);
    }
    ++removed_;
    nodes_ += static_cast<int64_t>(dead.size());
  }
  return removed_.value() > 0 ? Changed::Yes : Changed::No;
}

} // namespace

std::unique_ptr<Pass> createEliminateDeadCollectives() { return std::make_unique<EliminateDeadCollectives>(); }

} // namespace ccgraph
