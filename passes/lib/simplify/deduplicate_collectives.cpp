// deduplicate-collectives: c1 = f(a); w1 = wait(c1); ...; c2 = f(a); w2 = wait(c2)  ->  c1 = f(a);
// w1 = wait(c1); ...  (w1 for w2)
//
// The second collective may send a value that is computed again: FSDP casts a shard before each gather. Then the
// repeated computation is removed too, if nothing else reads it (repeated_values.h).
//
// A wait on a value that is no longer in flight is replaced by the wait that ended it. A program may repeat a
// collective on purpose: sharded training gathers a parameter again in the backward pass to avoid keeping it. So the
// first result is used again only while it is live anyway, or within the user's limit.
#include "ccgraph/ir/collective.h"
#include "ccgraph/passes/registry.h"

#include "analysis/program_facts.h"
#include "rewrite/repetition_reasons.h"
#include "rewrite/spare_memory.h"

namespace ccgraph {

namespace {

class DeduplicateCollectives final : public Pass {
public:
  DeduplicateCollectives()
      : Pass({"deduplicate-collectives",
              "Reuses the result of a collective where an equal collective of the same unchanged value follows, and "
              "removes repeated waits.",
              Phase::Simplify}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<DeduplicateCollectives>(); }

private:
  Option<ByteCount> maxHeld_{
      *this, "max-held", ByteCount{0},
      "largest result that may stay live from its last use to the repetition, instead of being communicated again"};
  Statistic merged_{*this, "merged", "repeated collectives removed"};
  Statistic waits_{*this, "waits", "repeated waits removed"};
  Reason twin_{*this, RemarkKind::Removed, "twin", "`twin` computes the same result"};
  Reason repeatedWait_{*this, RemarkKind::Removed, "repeated-wait", "the earlier wait `twin` waits for the same value"};
  Reason held_{*this, RemarkKind::Kept, "extends-lifetime",
               "the first result (`bytes`) would stay live for longer, and is larger than max-held"};
  Reason budget_{*this, RemarkKind::Missed, "over-budget",
                 "keeping the first result live would exceed the memory budget"};
  RepetitionReasons obstacles_{*this};
  friend class Deduplicator;
};

class Deduplicator {
public:
  Deduplicator(DeduplicateCollectives &pass, Graph &graph, PassContext &context)
      : pass_(pass), graph_(graph), context_(context), facts_(context.analyses().facts()),
        collectives_(graph, facts_, context.spmd()), spare_(graph, facts_, context) {}
  Changed run();

private:
  bool dropWait(Node *wait);
  void visit(Node *node);
  [[nodiscard]] const Reason *reasonAgainst(const Repetition &repetition);
  [[nodiscard]] const Reason *memoryReason(Node *first, Node *again);
  void takeMemory(const Repetition &repetition);

  DeduplicateCollectives &pass_;
  Graph &graph_;
  PassContext &context_;
  const ProgramFacts &facts_;
  RepeatedCollectives collectives_;
  SpareMemory spare_;                            ///< asked first for the first twin, because most programs have none
  llvm::DenseMap<const Node *, Node *> endedBy_; ///< by value in flight, and by wait: the wait that ended it
};

/// Returns why memory prevents the reuse, or null. A result that is live until the repetition costs nothing to use
/// again, so only a gap between the two counts.
const Reason *Deduplicator::memoryReason(Node *first, Node *again) {
  const LiveBytes &memory = spare_.live();
  for (LiveBytes::IntervalId id : memory.intervalsOf(first)) {
    if (memory.first(id) != first || memory.isForGood(id) || !memory.last(id)->isBefore(again))
      continue;
    std::optional<int64_t> limit = pass_.maxHeld_.get().limit;
    if (limit && (memory.bytes(id) > *limit || !outputBytes(*first)))
      return &pass_.held_;
    if (!spare_.hasRoom(memory.bytes(id), memory.last(id)->next(), again))
      return &pass_.budget_;
  }
  return nullptr;
}

const Reason *Deduplicator::reasonAgainst(const Repetition &repetition) {
  if (std::optional<RepetitionObstacle> obstacle = collectives_.obstacle(repetition))
    return &pass_.obstacles_.of(*obstacle);
  return memoryReason(repetition.first, repetition.again);
}

/// Records that the first result takes the place of the second in memory, and that the operands of the second go.
void Deduplicator::takeMemory(const Repetition &repetition) {
  const auto &[first, again, wait, waitAgain, operands] = repetition;
  LiveBytes &memory = spare_.live();
  for (LiveBytes::IntervalId from : memory.intervalsOf(again)) {
    if (memory.first(from) != again)
      continue;
    for (LiveBytes::IntervalId to : memory.intervalsOf(first))
      if (memory.first(to) == first)
        memory.addHolder(to, memory.last(from));
    memory.suspend(from);
  }
  for (const RepeatedValues::Pair &pair : operands)
    for (LiveBytes::IntervalId id : memory.intervalsOf(pair.again))
      if (memory.first(id) == pair.again)
        memory.suspend(id);
}

void Deduplicator::visit(Node *node) {
  std::optional<Repetition> repetition = collectives_.find(node);
  const Reason *reason = repetition ? reasonAgainst(*repetition) : nullptr;
  if (repetition)
    context_.remark(reason ? *reason : pass_.twin_, *node, remarkArgs(*repetition));
  if (!repetition || reason)
    return collectives_.advance(node);
  takeMemory(*repetition);
  collectives_.accept(*repetition);
  removeRepetition(graph_, *repetition, context_.certificate());
  ++pass_.merged_;
}

/// For a wait on a value that an earlier wait ended, or on that wait itself: its readers read the earlier wait instead.
bool Deduplicator::dropWait(Node *wait) {
  if (wait->numOperands() != 1 || wait->args().size() != 1 || !wait->args()[0].is(Argument::Kind::Operand))
    return false;
  Node *value = wait->operand(0);
  auto [found, isNew] = endedBy_.try_emplace(value, wait);
  if (isNew && !facts_.waits(value)) {
    endedBy_[wait] = wait;
    return false;
  }
  Node *earlier = isNew ? value : found->second;
  if (!facts_.completes(wait).empty() || wait->numOrdering() != 0 || earlier->type() != wait->type())
    return false;
  context_.remark(pass_.repeatedWait_, *wait, {{"twin", earlier->name().str().str()}});
  graph_.replaceAllUses(wait, earlier);
  context_.certificate().removed.push_back({RemovedReason::Forwarded, wait, earlier});
  graph_.erase(wait);
  ++pass_.waits_;
  return true;
}

Changed Deduplicator::run() {
  for (Node *node : graph_.nodes())
    if (!node->isErased() && (!facts_.waits(node) || !dropWait(node)))
      visit(node);
  return pass_.merged_.value() + pass_.waits_.value() > 0 ? Changed::Yes : Changed::No;
}

llvm::Expected<Changed> DeduplicateCollectives::run(Graph &graph, PassContext &context) {
  return Deduplicator(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createDeduplicateCollectives() { return std::make_unique<DeduplicateCollectives>(); }

} // namespace ccgraph
