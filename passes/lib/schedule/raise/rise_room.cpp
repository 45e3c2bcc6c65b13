#include "schedule/raise/rise_room.h"

#include "analysis/least.h"

namespace ccgraph {

namespace {

/// More bytes from this row on.
struct Change {
  const Node *row = nullptr;
  int64_t bytes = 0;
};
using Changes = llvm::SmallVector<Change, 16>;

bool inOrder(const Node *a, const Node *b) { return a->isBefore(b); }

bool isOneOf(llvm::ArrayRef<Node *> unit, const Node *node) {
  auto place = llvm::lower_bound(unit, node, inOrder);
  return place != unit.end() && *place == node;
}

/// The next place below that is another one: before or after one of the unit is the same.
Node *nextPlace(Node *slot, llvm::ArrayRef<Node *> unit) {
  while (slot != unit.back() && isOneOf(unit, slot))
    slot = slot->next();
  return slot == unit.back() ? slot : slot->next();
}

/// The last holder that is not of the unit; null if there is none.
Node *lastOther(const LiveBytes &memory, LiveBytes::IntervalId id, llvm::ArrayRef<Node *> unit) {
  if (memory.isForGood(id) || !isOneOf(unit, memory.last(id)))
    return memory.last(id);
  Node *last = nullptr;
  memory.forEachHolder(id, [&](Node *holder) {
    if (!isOneOf(unit, holder) && (!last || last->isBefore(holder)))
      last = holder;
  });
  return last;
}

} // namespace

RiseRoom::RiseRoom(Graph &graph, const ProgramFacts &facts, const Limits &limits) : graph_(graph), limits_(limits) {
  if (limits.memory)
    memory_.emplace(liveMemory(graph, facts));
  if (limits.inFlight)
    inFlight_.emplace(liveInFlight(graph, facts));
}

RiseRoom::HeldList RiseRoom::heldBy(llvm::ArrayRef<Node *> unit) const {
  llvm::SmallVector<std::pair<LiveBytes::IntervalId, unsigned>, 16> pairs;
  for (unsigned i = 0; i < unit.size(); ++i)
    for (LiveBytes::IntervalId id : memory_->intervalsOf(unit[i]))
      if (memory_->bytes(id) > 0)
        pairs.emplace_back(id, i);
  llvm::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  HeldList list;
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto [id, member] = pairs[i];
    if (i == 0 || pairs[i - 1].first != id) {
      Held &held = list.emplace_back();
      held.bytes = memory_->bytes(id);
      held.forGood = memory_->isForGood(id);
      held.first = memory_->first(id);
      held.last = memory_->last(id);
      held.lastOther = lastOther(*memory_, id, unit);
    }
    list.back().members.push_back(member);
  }
  return list;
}

// For a unit of one launch that reads a (8 bytes, which nobody else needs) and makes d (16 bytes), with a limit of 100:
//   row 2   95 alive     with the launch above it: 95 - 8 + 16 = 103, full
//   row 3   90 alive     98, fits
//   row 4   the launch
// The launch may stand below row 2. What changes at a row is the same however far above it the unit stands, so the
// changes are summed up over stretches of rows, and each stretch is asked for its lowest row over `limit - more`.

/// The highest place from `slot` down with room at every row between it and the launch.
Node *RiseRoom::belowFullRows(Node *slot, const Question &question) const {
  Node *launch = question.unit.back();
  Changes changes;
  auto alive = [&](Node *from, const Node *last, int64_t bytes) {
    changes.push_back({from->isBefore(slot) ? slot : from, bytes});
    if (last)
      changes.push_back({last->next(), -bytes});
  };
  for (const Held &storage : question.held) {
    alive(storage.first, storage.forGood ? nullptr : storage.last, -storage.bytes);
    if (storage.outlives(slot))
      alive(slot, storage.forGood ? nullptr : storage.lastOther, storage.bytes);
  }
  llvm::erase_if(changes, [&](const Change &change) { return !change.row || !change.row->isBefore(launch); });
  llvm::sort(changes, [](const Change &a, const Change &b) { return inOrder(a.row, b.row); });
  int64_t more = 0;
  for (const Change &change : changes)
    more += change.bytes;
  Node *to = launch;
  for (const Change &change : llvm::reverse(changes)) {
    if (Node *over = more > 0 ? memory_->lastAbove(change.row, to, question.limit - more) : nullptr)
      return over->next();
    to = graph_.byId(change.row->id());
    more -= change.bytes;
  }
  return slot;
}

/// Is there room at the rows of the unit itself?
bool RiseRoom::fits(const Node *slot, const Question &question) const {
  llvm::ArrayRef<Node *> unit = question.unit;
  unsigned top = 0; // of those that move
  while (unit[top]->isBefore(slot))
    ++top;
  auto size = static_cast<unsigned>(unit.size());
  llvm::SmallVector<int64_t, 16> change(size + 1, 0);
  int64_t alive = memory_->aliveBefore(slot);
  for (const Held &storage : question.held) {
    bool above = storage.first->isBefore(slot);
    bool below = storage.outlives(slot);
    if (above && (storage.forGood || !storage.last->isBefore(slot)))
      alive -= storage.bytes;
    const unsigned *mover = llvm::lower_bound(storage.members, top);
    bool moves = mover != storage.members.end();
    if (!moves && !(above && below))
      continue;
    change[above ? top : *mover] += storage.bytes;
    change[below ? size : storage.members.back() + 1] -= storage.bytes;
  }
  for (unsigned row = top; row < size; ++row)
    if ((alive += change[row]) > question.limit)
      return false;
  return true;
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
  while (!unit.empty() && unit.front()->isBefore(slot))
    unit = unit.drop_front();
  Question question{unit, memory_ ? heldBy(unit) : HeldList(), limits_.memory.value_or(0)};
  Node *inMemory = memory_ ? belowFullRows(slot, question) : slot;
  Node *reached = withinInFlight(inMemory, launch);
  Stop stop = reached != inMemory ? Stop::InFlight : reached != slot ? Stop::Budget : Stop::Input;
  while (memory_ && reached != launch && !fits(reached, question)) {
    stop = Stop::Budget;
    reached = nextPlace(reached, unit);
  }
  return {reached, stop};
}

int64_t RiseRoom::shortage(Node *slot, llvm::ArrayRef<Node *> unit) const {
  while (!unit.empty() && unit.front()->isBefore(slot))
    unit = unit.drop_front();
  Question question{unit, heldBy(unit)};
  int64_t most = memory_->peak();
  for (const Held &held : question.held)
    most += held.bytes;
  return leastThat(1, std::max<int64_t>(most - *limits_.memory, 1), [&](int64_t extra) {
    question.limit = *limits_.memory + extra;
    return belowFullRows(slot, question) == slot && fits(slot, question);
  });
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
