// raise-collectives: input, a, b, cast, launch  ->  input, cast, launch, a, b
//
// A transfer that starts early has more computation to hide behind. A launch stands right after
// the last of: what it reads, what wrote its operands, the collective before it on its group. What
// only moves bytes on the way to it (views, casts, copies, cats, pads) rises with it, because a
// sharded parameter is cast right above its gather: that cast, not the parameter, would hold every
// prefetch back, for a step that computes nothing. Computation never moves.
//
// Memory at a row below the new place:  after = before + (results that are used at the row or below)
//                                              - (operands that nobody else there still needs).
// The launch rises to the highest place at which no row needs more than the budget.
#include "analysis/step_counter.h"
#include "ccgraph/passes/registry.h"
#include "schedule/raise/rise_bounds.h"
#include "schedule/raise/rise_room.h"

namespace ccgraph {

namespace {

class RaiseCollectives final : public Pass {
public:
  RaiseCollectives()
      : Pass({"raise-collectives",
              "Moves each asynchronous launch up to right after its inputs and the collective before it on its group; "
              "views, "
              "and operators that only move bytes (casts, copies, cats, pads), rise with a launch that they feed.",
              Phase::Schedule}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<RaiseCollectives>(); }

private:
  Option<ByteCount> maxInFlight_{
      *this, "max-in-flight", ByteCount{},
      "most bytes of results that may be in flight at any step; a launch rises no further than that allows"};
  Statistic moved_{*this, "moved", "launches that stand earlier than before"};
  Statistic positions_{*this, "positions",
                       "steps that are now issued after a launch that they stood before, summed over the launches"};
  Statistic kept_{*this, "kept", "launches that stay where they were"};
  Statistic carried_{*this, "carried", "casts, copies and the like that rose with a launch that they feed"};
  Reason raised_{*this, RemarkKind::Moved, "raised", "the launch stands right after the last node that it must follow"};
  Reason partly_{*this, RemarkKind::Moved, "raised-to-budget",
                 "the launch stands as early as the memory budget lets it: its result is alive from there on"};
  Reason partlyInFlight_{*this, RemarkKind::Moved, "raised-to-in-flight-limit",
                         "the launch stands as early as max-in-flight lets it"};
  Reason atInputs_{*this, RemarkKind::Kept, "at-inputs",
                   "the launch stands right after the last node that it must follow already"};
  Reason budget_{*this, RemarkKind::Missed, "over-budget", "one step earlier would exceed the memory budget"};
  Reason inFlight_{*this, RemarkKind::Missed, "over-in-flight-limit", "one step earlier would exceed max-in-flight"};
  friend class Raiser;
};

struct Outcome {
  int64_t positions = 0;
  /// bytes of budget that it lacks to rise to its inputs
  int64_t lacks = 0;
  RiseRoom::Stop stop = RiseRoom::Stop::Input;
};

/// One run. A round walks the program forwards and raises each launch; rounds are repeated, because
/// a launch that rises may free what it read last, and so make room for one above it.
class Raiser {
public:
  Raiser(RaiseCollectives &pass, Graph &graph, PassContext &context);
  Changed run();

private:
  bool round();
  bool raise(Node *launch);
  void measure();
  [[nodiscard]] Node *slotAfter(Node *bound, Node *launch) const;
  void moveBefore(Node *slot, llvm::ArrayRef<Node *> unit);
  void report();
  void remark(const Node *launch, const Outcome &outcome);

  RaiseCollectives &pass_;
  Graph &graph_;
  PassContext &context_;
  const ProgramFacts &facts_;
  CommGroups groups_;
  Feeders feeders_;
  RiseBounds bounds_;
  RiseRoom room_;
  std::vector<Outcome> outcomes_; ///< by node id
  std::vector<bool> carried_;     ///< by node id: a feeder that rose
  StepCounter steps_;
};

Raiser::Raiser(RaiseCollectives &pass, Graph &graph, PassContext &context)
    : pass_(pass), graph_(graph), context_(context), facts_(context.analyses().facts()), groups_(graph, context.spmd()),
      feeders_(facts_), bounds_(facts_, feeders_, groups_),
      room_(graph, facts_, {context.memoryBudget(), pass.maxInFlight_.get().limit}), outcomes_(graph.idLimit()),
      carried_(graph.idLimit()), steps_(graph, [&](const Node *node) { return !feeders_.isPassedForNothing(node); }) {}

/// Because launches that follow the same node keep the order that they had, a new one goes after
/// those that rose before it.
Node *Raiser::slotAfter(Node *bound, Node *launch) const {
  Node *slot = steps_.atOrBelow(bound ? bound->next() : graph_.front());
  return slot && slot->isBefore(launch) ? slot : launch;
}

void Raiser::moveBefore(Node *slot, llvm::ArrayRef<Node *> unit) {
  for (Node *node : unit) {
    if (node->isBefore(slot))
      continue;
    if (node == slot) {
      slot = slot->next();
      continue;
    }
    room_.move(node, slot);
    steps_.moved(node, slot);
    carried_[node->id()] = feeders_.isFeeder(node);
  }
}

bool Raiser::raise(Node *launch) {
  RiseBounds::Rise rise = bounds_.riseOf(launch);
  Node *slot = slotAfter(rise.after, launch);
  Outcome &outcome = outcomes_[launch->id()];
  outcome.stop = RiseRoom::Stop::Input;
  if (steps_.between(slot, launch) == 0)
    return false;
  RiseRoom::Answer answer = room_.highest(slot, rise.unit);
  outcome.stop = answer.stop;
  int64_t passed = steps_.between(answer.slot, launch);
  if (passed == 0)
    return false;
  outcome.positions += passed;
  moveBefore(answer.slot, rise.unit);
  return true;
}

bool Raiser::round() {
  bounds_.startRound();
  bool changed = false;
  for (Node *node : graph_.nodes()) {
    if (facts_.launches(node))
      changed |= raise(node);
    bounds_.note(node);
  }
  return changed;
}

/// After the last round: what those that the budget stopped lack.
void Raiser::measure() {
  auto isShort = [&](const Node *node) {
    return facts_.launches(node) && outcomes_[node->id()].stop == RiseRoom::Stop::Budget;
  };
  if (llvm::none_of(graph_.nodes(), isShort))
    return;
  bounds_.startRound();
  for (Node *node : graph_.nodes()) {
    if (isShort(node)) {
      RiseBounds::Rise rise = bounds_.riseOf(node);
      outcomes_[node->id()].lacks = room_.shortage(slotAfter(rise.after, node), rise.unit);
    }
    bounds_.note(node);
  }
}

void Raiser::remark(const Node *launch, const Outcome &outcome) {
  bool moved = outcome.positions > 0;
  RemarkArgs args = {{"after", launch->prev() ? launch->prev()->name().str().str() : ""},
                     {"positions", std::to_string(outcome.positions)}};
  if (outcome.lacks > 0)
    args.emplace_back("lacks", std::to_string(outcome.lacks));
  switch (outcome.stop) {
  case RiseRoom::Stop::InFlight:
    context_.remark(moved ? pass_.partlyInFlight_ : pass_.inFlight_, *launch, std::move(args));
    return;
  case RiseRoom::Stop::Budget:
    context_.remark(moved ? pass_.partly_ : pass_.budget_, *launch, std::move(args));
    return;
  case RiseRoom::Stop::Input:
    context_.remark(moved ? pass_.raised_ : pass_.atInputs_, *launch, std::move(args));
    return;
  }
}

void Raiser::report() {
  for (const Node *node : graph_) {
    pass_.carried_ += carried_[node->id()];
    if (!facts_.launches(node))
      continue;
    const Outcome &outcome = outcomes_[node->id()];
    ++(outcome.positions > 0 ? pass_.moved_ : pass_.kept_);
    pass_.positions_ += outcome.positions;
    remark(node, outcome);
  }
}

Changed Raiser::run() {
  bool changed = false;
  while (round())
    changed = true;
  measure();
  report();
  return changed ? Changed::Yes : Changed::No;
}

llvm::Expected<Changed> RaiseCollectives::run(Graph &graph, PassContext &context) {
  return Raiser(*this, graph, context).run();
}

} // namespace

std::unique_ptr<Pass> createRaiseCollectives() { return std::make_unique<RaiseCollectives>(); }

} // namespace ccgraph
