#include "schedule/raise/rise_room.h"

namespace ccgraph {

namespace {

/// Those of the unit that stand at the slot or below.
llvm::ArrayRef<Node *> movers(llvm::ArrayRef<Node *> unit, const Node *slot) {
  return unit.drop_while([&](const Node *node) { return node->isBefore(slot); });
}

/// The next place below that is another one: before or after one of the unit is the same.
Node *nextPlace(Node *slot, llvm::ArrayRef<Node *> unit) {
  while (slot != unit.back() && llvm::is_contained(unit, slot))
    slot = slot->next();
  return slot == unit.back() ? slot : slot->next();
}

} // namespace

RiseRoom::RiseRoom(Graph &graph, const ProgramFacts &facts, const Limits &limits) : graph_(graph), limits_(limits) {
  if (limits.memory)
    memory_.emplace(liveMemory(graph, facts));
  if (limits.inFlight)
    inFlight_.emplace(liveInFlight(graph, facts));
}

Node *RiseRoom::withinInFlight(Node *slot, Node *launch) const {
  if (!inFlight_)
    return slot;
  int64_t bytes = 0;
  for (LiveBytes::IntervalId id : inFlight_->intervalsOf(launch))
    bytes += inFlight_->first(id) == launch ? inFlight_->bytes(id) : 0;
  Node *over = bytes == 0 ? nullptr : inFlight_->lastAbove(slot, launch, *limits_.inFlight - bytes);
  return over ? over->next() : slot;
}

RiseRoom::Answer RiseRoom::highest(Node *slot, llvm::ArrayRef<Node *> unit) const {
  Node *launch = unit.back();
  unit = movers(unit, slot);
  Answer answer{slot, Stop::Input};
  auto lower = [&](Node *to, Stop why) {
    if (to != answer.slot)
      answer = {to, why};
  };
  std::optional<WhatIf> risen;
  if (memory_) {
    risen.emplace(*memory_, Side::Up, unit);
    if (Node *over = risen->firstOver(slot, launch, *limits_.memory))
      lower(over->next(), Stop::Budget);
  }
  lower(withinInFlight(answer.slot, launch), Stop::InFlight);
  while (risen && answer.slot != launch && risen->peakOfMoved(answer.slot) > *limits_.memory)
    lower(nextPlace(answer.slot, unit), Stop::Budget);
  return answer;
}

int64_t RiseRoom::shortage(Node *slot, llvm::ArrayRef<Node *> unit) const {
  unit = movers(unit, slot);
  WhatIf risen(*memory_, Side::Up, unit);
  return std::max(risen.peakOfPassed(slot, unit.back()), risen.peakOfMoved(slot)) - *limits_.memory;
}

void RiseRoom::move(Node *node, Node *before) {
  for (std::optional<LiveBytes> *live : {&memory_, &inFlight_})
    if (*live)
      (*live)->lift(node);
  graph_.moveBefore(node, before);
  for (std::optional<LiveBytes> *live : {&memory_, &inFlight_})
    if (*live)
      (*live)->drop(node);
}

} // namespace ccgraph
