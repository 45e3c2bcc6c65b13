// deduplicate-collectives: c1 = f(a); w1 = wait(c1); ...; c2 = f(a); w2 = wait(c2)  ->  c1 = f(a);
// w1 = wait(c1); ...  (w1 for w2)
//
// A wait on a value that is no longer in flight is replaced by the wait that ended it. A program may repeat a
// collective on purpose: sharded training gathers a parameter again in the backward pass to avoid keeping it. So the
// first result is used again only while it is live anyway, or within the user's limit.
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/group_id.h"
#include "ccgraph/passes/registry.h"

#include "analysis/lifetimes.h"

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
  Reason held_{*this, RemarkKind::Missed, "extends-lifetime",
               "the first result (`bytes`) would stay live for longer, and is larger than max-held"};
  Reason budget_{*this, RemarkKind::Missed, "over-budget",
                 "keeping the first result live would exceed the memory budget"};
  Reason written_{*this, RemarkKind::Missed, "written",
                  "one of the two results is written later, so their values differ"};
  Reason returned_{*this, RemarkKind::Missed, "returned",
                   "both results are returned, and an in-place write of the caller to one must not change the other"};
  Reason readers_{*this, RemarkKind::Missed, "in-flight-readers",
                  "before it completes, its result has a user other than a single wait of the same type that follows "
                  "the first wait"};
  Reason spmd_{*this, RemarkKind::Missed, "not-spmd", "ranks run different graphs, and another rank may keep its part"};
  friend class Deduplicator;
};

class Deduplicator {
public:
  Deduplicator(DeduplicateCollectives &pass, Graph &graph, PassContext &context)
      : pass_(pass), graph_(graph), context_(context), facts_(context.analyses().facts()),
        version_(facts_.storages().numStorages()), everWritten_(version_.size()), returned_(version_.size()) {}
  Changed run();

private:
  /// A collective that may be repeated, and how often its operands had been written at its launch.
  struct Known {
    Node *launch = nullptr;
    std::vector<uint64_t> versions;
  };
  void noteWrites(Node *node);
  bool dropWait(Node *wait);
  void visitLaunch(Node *launch);
  [[nodiscard]] std::vector<uint64_t> versionsOf(const Node *launch) const;
  [[nodiscard]] const Reason *obstacle(Node *first, Node *second);
  void noteProgram();
  [[nodiscard]] bool hasAny(const std::vector<bool> &set, const Node *launch) const;
  [[nodiscard]] const Reason *memoryObstacle(Node *first, Node *second);
  void merge(Node *first, Node *second);
  void remove(Node *node, Node *twin, RemovedReason reason);

  DeduplicateCollectives &pass_;
  Graph &graph_;
  PassContext &context_;
  const ProgramFacts &facts_;
  std::vector<uint64_t> version_; ///< by storage: writes so far
  std::vector<bool> everWritten_;
  std::vector<bool> returned_;
  uint64_t opaque_ = 0;             ///< opaque nodes so far
  std::optional<LiveBytes> memory_; ///< constructed for the first twin, because most programs have none
  using Key = std::pair<std::pair<const OpDef *, const Node *>, uint64_t>;
  llvm::DenseMap<Key, llvm::SmallVector<Known, 1>> known_; ///< by operator, first operand and group; looked up only
  llvm::DenseMap<const Node *, Node *> endedBy_;           ///< by value in flight, and by wait: the wait that ended it
};

/// Returns the only wait on a launch's result if nothing else reads it; null otherwise.
Node *onlyWait(const ProgramFacts &facts, const Node &launch) {
  Node *wait = nullptr;
  for (const Use &use : launch.uses()) {
    if (use.isOrdering() || wait || !facts.waits(use.user()) || use.user()->numOperands() != 1)
      return nullptr;
    wait = use.user();
  }
  return wait;
}

bool sameCall(const Node &a, const Node &b) {
  if (a.op() != b.op() || a.type() != b.type() || a.args().size() != b.args().size() ||
      a.kwargs().size() != b.kwargs().size())
    return false;
  auto sameUse = [](const Use &x, const Use &y) { return x.def() == y.def() && x.isOrdering() == y.isOrdering(); };
  if (!std::equal(a.operandUses().begin(), a.operandUses().end(), b.operandUses().begin(), b.operandUses().end(),
                  sameUse))
    return false;
  auto sameNamed = [](const NamedArgument &x, const NamedArgument &y) {
    return x.name == y.name && sameArgument(x.value, y.value);
  };
  return std::equal(a.args().begin(), a.args().end(), b.args().begin(), sameArgument) &&
         std::equal(a.kwargs().begin(), a.kwargs().end(), b.kwargs().begin(), sameNamed);
}

void Deduplicator::noteWrites(Node *node) {
  for (StorageId storage : facts_.rewrites(node))
    ++version_[storage];
  if (facts_.waits(node))
    return;
  opaque_ += facts_.domain(node) == Domain::All;
  for (const StorageAccess &access : facts_.accesses(node))
    version_[access.storage] += writes(access.access);
}

std::vector<uint64_t> Deduplicator::versionsOf(const Node *launch) const {
  std::vector<uint64_t> versions = {opaque_};
  for (const StorageAccess &access : facts_.accesses(launch))
    versions.push_back(version_[access.storage]);
  return versions;
}

bool Deduplicator::hasAny(const std::vector<bool> &set, const Node *launch) const {
  return llvm::any_of(facts_.storages().storages(launch), [&](StorageId storage) { return set[storage]; });
}

/// Returns why memory prevents the reuse, or null. A result that is live until the repetition costs nothing to use
/// again, so only a gap between the two counts.
const Reason *Deduplicator::memoryObstacle(Node *first, Node *second) {
  if (!memory_)
    memory_.emplace(liveMemory(graph_, facts_));
  for (LiveBytes::IntervalId id : memory_->intervalsOf(first)) {
    if (memory_->first(id) != first || memory_->isForGood(id) || !memory_->last(id)->isBefore(second))
      continue;
    std::optional<int64_t> limit = pass_.maxHeld_.get().limit;
    if (limit && (memory_->bytes(id) > *limit || !outputBytes(*first)))
      return &pass_.held_;
    std::optional<int64_t> budget = context_.memoryBudget();
    if (budget && memory_->firstAbove(memory_->last(id)->next(), second, *budget - memory_->bytes(id)))
      return &pass_.budget_;
  }
  return nullptr;
}

const Reason *Deduplicator::obstacle(Node *first, Node *second) {
  if (!context_.spmd())
    return &pass_.spmd_;
  const Node *wait = onlyWait(facts_, *first);
  const Node *repeated = onlyWait(facts_, *second);
  if (!wait || !repeated || !wait->isBefore(repeated) || wait->op() != repeated->op() ||
      wait->type() != repeated->type() || wait->numOrdering() + repeated->numOrdering() != 0)
    return &pass_.readers_;
  if (hasAny(everWritten_, first) || hasAny(everWritten_, second))
    return &pass_.written_;
  if (hasAny(returned_, first) && hasAny(returned_, second))
    return &pass_.returned_;
  return memoryObstacle(first, second);
}

void Deduplicator::remove(Node *node, Node *twin, RemovedReason reason) {
  graph_.replaceAllUses(node, twin);
  context_.certificate().removed.push_back({reason, node, twin});
  graph_.erase(node);
}

void Deduplicator::merge(Node *first, Node *second) {
  Node *wait = onlyWait(facts_, *first);
  Node *repeated = onlyWait(facts_, *second);
  for (StorageId storage : facts_.storages().storages(first))
    returned_[storage] = returned_[storage] || hasAny(returned_, second);
  // All readers of the second result now hold the first one.
  for (LiveBytes::IntervalId from : memory_->intervalsOf(second)) {
    if (memory_->first(from) != second)
      continue;
    for (LiveBytes::IntervalId to : memory_->intervalsOf(first))
      if (memory_->first(to) == first)
        memory_->addHolder(to, memory_->last(from));
    memory_->suspend(from);
  }
  context_.remark(pass_.twin_, *second,
                  {{"twin", first->name().str().str()}, {"bytes", std::to_string(outputBytes(*first).value_or(0))}});
  remove(repeated, wait, RemovedReason::Twin);
  remove(second, first, RemovedReason::Twin);
  ++pass_.merged_;
}

void Deduplicator::visitLaunch(Node *launch) {
  bool functional =
      facts_.launches(launch) && launch->numOperands() > 0 &&
      llvm::none_of(facts_.accesses(launch), [](const StorageAccess &access) { return writes(access.access); });
  if (!functional)
    return;
  // A value may be sent on many groups, so only collectives of one group are compared.
  uint64_t group = llvm::hash_value(groupIdOf(*launch).text) >> 1;
  auto &known = known_[{{launch->op(), launch->operand(0)}, group}];
  std::vector<uint64_t> versions = versionsOf(launch);
  for (const Known &earlier : known) {
    if (earlier.versions != versions || !sameCall(*earlier.launch, *launch))
      continue;
    const Reason *reason = obstacle(earlier.launch, launch);
    if (!reason)
      return merge(earlier.launch, launch);
    context_.remark(
        *reason, *launch,
        {{"twin", earlier.launch->name().str().str()}, {"bytes", std::to_string(outputBytes(*launch).value_or(0))}});
    break;
  }
  known.push_back({launch, std::move(versions)});
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
  remove(wait, earlier, RemovedReason::Forwarded);
  ++pass_.waits_;
  return true;
}

/// Records the storages that the program writes, and those that it returns.
void Deduplicator::noteProgram() {
  everWritten_ = facts_.writtenStorages();
  if (const Node *output = graph_.output())
    for (const Use &use : output->operandUses())
      for (StorageId storage : facts_.storages().storages(use.def()))
        returned_[storage] = true;
}

Changed Deduplicator::run() {
  noteProgram();
  for (Node *node : graph_.nodes()) {
    if (node->isErased())
      continue;
    if (facts_.waits(node) && dropWait(node))
      continue;
    visitLaunch(node);
    if (!node->isErased())
      noteWrites(node);
  }
  return pass_.merged_.value() + pass_.waits_.value() > 0 ? Changed::Yes : Changed::No;
}

llvm::Expected<Changed> DeduplicateCollectives::run(Graph &graph, PassContext &context) {
  return Deduplicator(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createDeduplicateCollectives() { return std::make_unique<DeduplicateCollectives>(); }

} // namespace ccgraph
