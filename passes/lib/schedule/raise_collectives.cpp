// raise-collectives: input, a, b, launch  ->  input, launch, a, b
//
// A transfer that starts early has more computation to hide behind. A launch stands right behind
// the last of: what it reads, what wrote its operands, the collective before it on its group. Views
// that feed it rise with it, because they cost nothing and would hold it back for nothing.
#include "analysis/comm_groups.h"
#include "analysis/lifetimes.h"
#include "analysis/step_counter.h"
#include "ccgraph/passes/registry.h"

namespace ccgraph {

namespace {

class RaiseCollectives final : public Pass {
public:
  RaiseCollectives()
      : Pass({"raise-collectives",
              "Moves each asynchronous launch up to behind its inputs and the collective before it on its group; views "
              "that feed it rise with it.",
              Phase::Schedule}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;

private:
  Option<ByteCount> maxInFlight_{
      *this, "max-in-flight", ByteCount{},
      "most bytes of results that may be in flight at any step; a launch rises no further than that allows"};
  Statistic moved_{*this, "moved", "launches that stand earlier than before"};
  Statistic positions_{*this, "positions",
                       "steps that are now issued behind a launch that they stood before, summed over the launches"};
  Statistic kept_{*this, "kept", "launches that stay where they were"};
  Reason raised_{*this, RemarkKind::Moved, "raised",
                 "the launch stands right behind the last node that it must follow"};
  Reason partly_{*this, RemarkKind::Moved, "raised-to-budget",
                 "the launch stands as early as the memory budget lets it: its result is alive from there on"};
  Reason partlyInFlight_{*this, RemarkKind::Moved, "raised-to-in-flight-limit",
                         "the launch stands as early as max-in-flight lets it"};
  Reason budget_{*this, RemarkKind::Missed, "over-budget",
                 "one step earlier, and its result would be alive at a step that needs the whole memory budget"};
  Reason inFlight_{*this, RemarkKind::Missed, "over-in-flight-limit",
                   "one step earlier, and more than max-in-flight bytes would be in flight"};
  friend class Raiser;
};

/// What stopped a launch.
enum class Limit : uint8_t { Input, Budget, InFlight };

struct Outcome {
  int64_t positions = 0;
  Limit limit = Limit::Input;
  Node *behind = nullptr;
};

/// One run. A round walks the program forwards and keeps, for each storage, the lowest node above
/// that a launch must follow; rounds are repeated, because a launch that rises may free what it
/// read last, and so make room for one above it.
class Raiser {
public:
  Raiser(RaiseCollectives &pass, Graph &graph, PassContext &context);
  Changed run();

private:
  bool round();
  void note(Node *node);
  static void lowest(Node *&bound, Node *candidate);
  bool raise(Node *launch);
  [[nodiscard]] Node *boundOf(Node *launch);
  void boundByOperands(Node *node, Node *&bound);
  void boundByOrder(Node *launch, Node *&bound) const;
  [[nodiscard]] Node *slotBehind(Node *bound, Node *launch) const;
  Node *withinMemory(Node *launch, Node *slot) const;
  Node *withinInFlight(Node *launch, Node *slot) const;
  int64_t moveBefore(Node *launch, Node *slot);
  void place(Node *node, Node *before);
  void report();

  RaiseCollectives &pass_;
  Graph &graph_;
  PassContext &context_;
  ProgramFacts facts_;
  CommGroups groups_;
  std::optional<Timeline> memory_;
  std::optional<Timeline> inFlight_;
  std::vector<Node *> written_;  ///< by storage: lowest node above that writes it or waits for it
  std::vector<Node *> accessed_; ///< by storage: lowest node above that touches it
  std::vector<Node *> issued_;   ///< by group: lowest collective above
  std::vector<Node *> strict_;   ///< by group: lowest point-to-point transfer or barrier above
  Node *opaque_ = nullptr;
  Node *lastInput_ = nullptr;
  std::vector<Outcome> outcomes_; ///< by node id
  StepCounter steps_;
  llvm::SmallVector<Node *, 8> views_; ///< that feed the launch at hand
};

Raiser::Raiser(RaiseCollectives &pass, Graph &graph, PassContext &context)
    : pass_(pass), graph_(graph), context_(context), facts_(graph), groups_(graph, context.spmd()),
      outcomes_(graph.idLimit()),
      steps_(graph, [&](const Node *node) { return !facts_.launches(node) && !facts_.views(node); }) {
  if (context.memoryBudget())
    memory_.emplace(memoryTimeline(graph, facts_));
  if (pass.maxInFlight_.get().limit)
    inFlight_.emplace(inFlightTimeline(graph, facts_));
}

/// Because a launch that rose stands above nodes that were noted before it, the lowest is kept and
/// not the latest.
void Raiser::lowest(Node *&bound, Node *candidate) {
  if (candidate && (!bound || bound->isBefore(candidate)))
    bound = candidate;
}

void Raiser::note(Node *node) {
  if (node->opcode() == Opcode::Placeholder)
    lastInput_ = node;
  if (facts_.domain(node) == Domain::All)
    opaque_ = node;
  bool wait = facts_.waits(node);
  for (const StorageAccess &access : facts_.accesses(node)) {
    if (wait || writes(access.access))
      lowest(written_[access.storage], node);
    if (wait || touches(access.access))
      lowest(accessed_[access.storage], node);
  }
  for (Node *launch : facts_.completes(node))
    for (const StorageAccess &access : facts_.accesses(launch))
      if (has(access.access, Access::InFlightRead | Access::InFlightWrite))
        lowest(has(access.access, Access::InFlightWrite) ? written_[access.storage] : accessed_[access.storage], node);
  uint32_t group = groups_.groupOf(node);
  if (group == CommGroups::none)
    return;
  lowest(issued_[group], node);
  if (groups_.isStrict(node))
    lowest(strict_[group], node);
}

void Raiser::boundByOperands(Node *node, Node *&bound) {
  for (const Use &use : node->operandUses()) {
    Node *def = use.def();
    if (use.isOrdering() || !facts_.views(def)) {
      lowest(bound, def);
    } else if (!llvm::is_contained(views_, def)) {
      views_.push_back(def);
      boundByOperands(def, bound);
    }
  }
}

void Raiser::boundByOrder(Node *launch, Node *&bound) const {
  uint32_t group = groups_.groupOf(launch);
  if (group == CommGroups::none)
    return;
  for (uint32_t other = 0; other < groups_.numGroups(); ++other) {
    if (other == group || !context_.spmd())
      lowest(bound, issued_[other]);
    else if (groups_.share(group, other))
      lowest(bound, groups_.isStrict(launch) ? issued_[other] : strict_[other]);
  }
}

Node *Raiser::boundOf(Node *launch) {
  Node *bound = lastInput_;
  lowest(bound, opaque_);
  for (const StorageAccess &access : facts_.accesses(launch)) {
    lowest(bound, written_[access.storage]);
    if (writes(access.access))
      lowest(bound, accessed_[access.storage]);
  }
  boundByOrder(launch, bound);
  views_.clear();
  boundByOperands(launch, bound);
  return bound;
}

/// Because launches that follow the same node keep the order that they had, a new one goes behind
/// those that rose before it.
Node *Raiser::slotBehind(Node *bound, Node *launch) const {
  Node *slot = bound ? bound->next() : graph_.front();
  while (slot != launch && (facts_.launches(slot) || facts_.views(slot)))
    slot = slot->next();
  return slot;
}

/// The highest place from `slot` down at which the program with the launch there needs no more than
/// the budget.
Node *Raiser::withinMemory(Node *launch, Node *slot) const {
  if (!memory_)
    return slot;
  int64_t budget = *context_.memoryBudget();
  int64_t results = 0;
  llvm::SmallVector<Node *, 8> rising(views_.begin(), views_.end());
  rising.push_back(launch);
  llvm::SmallVector<std::pair<Node *, int64_t>, 4>
      freed; // the last other holder of what the launch holds longest, and its bytes
  for (Timeline::IntervalId id : memory_->intervalsOf(launch)) {
    if (memory_->first(id) == launch)
      results += memory_->bytes(id);
    else if (memory_->last(id) == launch && !memory_->isForGood(id))
      freed.emplace_back(memory_->lastBut(id, rising), memory_->bytes(id));
  }
  llvm::stable_sort(freed, [](const auto &a, const auto &b) { return b.first->isBefore(a.first); });
  int64_t more = results;
  for (const auto &[last, bytes] : freed)
    more -= bytes;
  Node *to = launch;
  for (size_t i = 0; i <= freed.size() && to != slot; ++i) {
    Node *from = i == freed.size() || freed[i].first->isBefore(slot) ? slot : freed[i].first->next();
    Node *over = more <= 0 ? nullptr : memory_->lastAbove(from, to, budget - more);
    if (over) {
      slot = over->next();
      break;
    }
    to = from;
    more += i == freed.size() ? 0 : freed[i].second;
  }
  while (slot != launch && memory_->aliveBefore(slot) + results > budget)
    slot = slot->next();
  return slot;
}

Node *Raiser::withinInFlight(Node *launch, Node *slot) const {
  if (!inFlight_)
    return slot;
  int64_t bytes = 0;
  for (Timeline::IntervalId id : inFlight_->intervalsOf(launch))
    bytes += inFlight_->first(id) == launch ? inFlight_->bytes(id) : 0;
  Node *over = bytes == 0 ? nullptr : inFlight_->lastAbove(slot, launch, *pass_.maxInFlight_.get().limit - bytes);
  return over ? over->next() : slot;
}

void Raiser::place(Node *node, Node *before) {
  for (std::optional<Timeline> *timeline : {&memory_, &inFlight_})
    if (*timeline)
      (*timeline)->lift(node);
  graph_.moveBefore(node, before);
  for (std::optional<Timeline> *timeline : {&memory_, &inFlight_})
    if (*timeline)
      (*timeline)->drop(node);
  steps_.moved(node, before);
}

int64_t Raiser::moveBefore(Node *launch, Node *slot) {
  int64_t passed = steps_.between(slot, launch);
  if (passed == 0)
    return 0;
  llvm::SmallVector<Node *, 8> along = {launch};
  for (Node *view : views_)
    if (!view->isBefore(slot))
      along.push_back(view);
  llvm::sort(along, [](const Node *a, const Node *b) { return a->isBefore(b); });
  for (Node *node : along) {
    if (node == slot)
      slot = slot->next();
    else
      place(node, slot);
  }
  return passed;
}

bool Raiser::raise(Node *launch) {
  Outcome &outcome = outcomes_[launch->id()];
  Node *bound = boundOf(launch);
  Node *slot = slotBehind(bound, launch);
  Node *inMemory = withinMemory(launch, slot);
  Node *reached = withinInFlight(launch, inMemory);
  outcome.limit = reached != inMemory ? Limit::InFlight : reached != slot ? Limit::Budget : Limit::Input;
  int64_t passed = moveBefore(launch, reached);
  outcome.positions += passed;
  outcome.behind = launch->prev();
  return passed > 0;
}

bool Raiser::round() {
  written_.assign(facts_.storages().numStorages(), nullptr);
  accessed_.assign(facts_.storages().numStorages(), nullptr);
  issued_.assign(groups_.numGroups(), nullptr);
  strict_.assign(groups_.numGroups(), nullptr);
  opaque_ = lastInput_ = nullptr;
  bool changed = false;
  for (Node *node : graph_.nodes()) {
    if (facts_.launches(node))
      changed |= raise(node);
    note(node);
  }
  return changed;
}

void Raiser::report() {
  for (Node *node = graph_.front(); node; node = node->next()) {
    if (!facts_.launches(node))
      continue;
    const Outcome &outcome = outcomes_[node->id()];
    bool moved = outcome.positions > 0;
    ++(moved ? pass_.moved_ : pass_.kept_);
    pass_.positions_ += outcome.positions;
    RemarkArgs args = {{"behind", node->prev() ? node->prev()->name().str().str() : ""},
                       {"positions", std::to_string(outcome.positions)}};
    if (outcome.limit == Limit::InFlight)
      context_.remark(moved ? pass_.partlyInFlight_ : pass_.inFlight_, *node, std::move(args));
    else if (outcome.limit == Limit::Budget)
      context_.remark(moved ? pass_.partly_ : pass_.budget_, *node, std::move(args));
    else if (moved)
      context_.remark(pass_.raised_, *node, std::move(args));
  }
}

Changed Raiser::run() {
  bool changed = false;
  while (round())
    changed = true;
  report();
  return changed ? Changed::Yes : Changed::No;
}

llvm::Expected<Changed> RaiseCollectives::run(Graph &graph, PassContext &context) {
  return Raiser(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createRaiseCollectives() { return std::make_unique<RaiseCollectives>(); }

} // namespace ccgraph
