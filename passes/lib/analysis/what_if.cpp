#include "analysis/what_if.h"

#include "analysis/least.h"

namespace ccgraph {

namespace {

bool isOneOf(llvm::ArrayRef<Node *> nodes, const Node *node) {
  auto place = llvm::lower_bound(nodes, node, standsBefore);
  return place != nodes.end() && *place == node;
}

} // namespace

WhatIf::WhatIf(const LiveBytes &live, Side side, llvm::ArrayRef<Node *> nodes, llvm::ArrayRef<Node *> apart)
    : live_(live), side_(side), nodes_(nodes), apart_(apart) {
  llvm::SmallVector<Member, 16> members;
  auto note = [&](const Node *node, size_t index) {
    for (IntervalId id : live.intervalsOf(node))
      if (live.bytes(id) != 0)
        members.push_back({id, index});
  };
  for (size_t i = 0; i < nodes.size(); ++i)
    note(nodes[i], i);
  for (size_t i = 0; i < apart.size(); ++i)
    note(apart[i], nodes.size() + i);
  llvm::sort(members, [](Member a, Member b) { return std::pair(a.id, a.index) < std::pair(b.id, b.index); });
  for (llvm::ArrayRef<Member> rest = members; !rest.empty();) {
    IntervalId id = rest.front().id;
    llvm::ArrayRef<Member> same = rest.take_while([&](Member member) { return member.id == id; });
    held_.push_back(heldBy(same));
    bytes_ += live.bytes(id);
    rest = rest.drop_front(same.size());
  }
}

WhatIf::Held WhatIf::heldBy(llvm::ArrayRef<Member> members) const {
  IntervalId id = members.front().id;
  const Node *first = live_.first(id);
  // Because those apart come to stand after the nodes where they rise, and before them where they sink.
  size_t placeOfApart = side_ == Side::Up ? nodes_.size() : 0;
  Held held{id, lastThatStays(id), moves(first)};
  if (held.made)
    held.begin = isOneOf(nodes_, first) ? members.front().index : placeOfApart;
  for (Member member : members)
    held.end = std::max(held.end, member.index < nodes_.size() ? member.index + 1 : placeOfApart);
  return held;
}

/// Because an interval may have many holders, they are looked through only where the last one moves.
Node *WhatIf::lastThatStays(IntervalId id) const {
  if (live_.isForGood(id) || !moves(live_.last(id)))
    return live_.last(id);
  Node *last = nullptr;
  live_.forEachHolder(id, [&](Node *holder) {
    if (!moves(holder) && (!last || last->isBefore(holder)))
      last = holder;
  });
  return last;
}

bool WhatIf::moves(const Node *node) const { return isOneOf(nodes_, node) || isOneOf(apart_, node); }

WhatIf::Rows WhatIf::now(const Held &held) const {
  return {live_.first(held.id), live_.isForGood(held.id) ? nullptr : live_.last(held.id)->next()};
}

std::optional<WhatIf::Rows> WhatIf::then(const Held &held) const {
  if (side_ == Side::Down)
    return held.made ? std::nullopt : std::optional<Rows>({live_.first(held.id), nullptr});
  Node *from = held.made ? nullptr : live_.first(held.id);
  if (live_.isForGood(held.id))
    return Rows{from, nullptr};
  return held.lastThatStays ? std::optional<Rows>({from, held.lastThatStays->next()}) : std::nullopt;
}

// What is alive now, corrected for the intervals that the nodes hold: each is counted as it would be, less as it is. In
// the header's example, row 3 loses a, whose last reader stands above it then, and gains d, which is made above it then.
int64_t WhatIf::aliveAt(const Node *row) const {
  int64_t alive = live_.alive(row);
  for (const Held &held : held_) {
    std::optional<Rows> rows = then(held);
    alive += ((rows && rows->contains(row) ? 1 : 0) - (now(held).contains(row) ? 1 : 0)) * live_.bytes(held.id);
  }
  return alive;
}

// Between two rows at which an interval begins or ends, now or then, all rows get as much more. So if c reads a (8 bytes,
// which nobody else needs) and makes d (16 bytes), and rises over rows 2 and 3:
//   row 2   95 alive     95 - 8 + 16 = 103
//   row 3   90 alive     98
// the two are one stretch of 8 more, and which of them is over 100 is which of them is over 92 now.
WhatIf::Stretches WhatIf::stretches(Node *from, Node *to) const {
  /// So many bytes more from this row on.
  struct Change {
    Node *row;
    int64_t bytes;
  };
  llvm::SmallVector<Change, 16> changes;
  auto add = [&](const Rows &rows, int64_t bytes) {
    if ((rows.from && !rows.from->isBefore(to)) || (rows.to && !from->isBefore(rows.to)))
      return;
    changes.push_back({rows.from && from->isBefore(rows.from) ? rows.from : from, bytes});
    if (rows.to && rows.to->isBefore(to))
      changes.push_back({rows.to, -bytes});
  };
  for (const Held &held : held_) {
    add(now(held), -live_.bytes(held.id));
    if (std::optional<Rows> rows = then(held))
      add(*rows, live_.bytes(held.id));
  }
  llvm::sort(changes, [](const Change &a, const Change &b) { return standsBefore(a.row, b.row); });
  Stretches list;
  int64_t more = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    more += changes[i].bytes;
    Node *next = i + 1 < changes.size() ? changes[i + 1].row : to;
    if (more > 0 && changes[i].row != next)
      list.push_back({changes[i].row, next, more});
  }
  if (side_ == Side::Up)
    std::reverse(list.begin(), list.end());
  return list;
}

Node *WhatIf::firstOver(const Stretches &stretches, int64_t limit) const {
  for (const Stretch &rows : stretches)
    if (Node *over = side_ == Side::Up ? live_.lastAbove(rows.from, rows.to, limit - rows.more)
                                       : live_.firstAbove(rows.from, rows.to, limit - rows.more))
      return over;
  return nullptr;
}

Node *WhatIf::firstOver(Node *from, Node *to, int64_t limit) const {
  // Because most moves have room by far, or change nothing, a look at the highest row comes first.
  if (!live_.firstAbove(from, to, limit - bytes_))
    return nullptr;
  return firstOver(stretches(from, to), limit);
}

int64_t WhatIf::peakOfPassed(Node *from, Node *to) const {
  Stretches rows = stretches(from, to);
  return leastThat(0, rows.empty() ? 0 : live_.peak() + bytes_, [&](int64_t limit) { return !firstOver(rows, limit); });
}

// The nodes stand next to each other then, so their rows are told by differences: what an interval adds is put down at its
// first row and taken off after its last.
int64_t WhatIf::peakOfMoved(Node *place) const {
  size_t top = side_ == Side::Up ? llvm::lower_bound(nodes_, place, standsBefore) - nodes_.begin() : 0;
  llvm::SmallVector<int64_t, 16> change(nodes_.size() + 1);
  int64_t alive = live_.aliveBefore(place);
  for (const Held &held : held_) {
    int64_t bytes = live_.bytes(held.id);
    if (live_.first(held.id) != place && now(held).contains(place))
      alive -= bytes;
    bool livesOn = live_.isForGood(held.id) || (held.lastThatStays && !held.lastThatStays->isBefore(place));
    size_t begin = std::max(held.begin, top);
    size_t end = livesOn ? nodes_.size() : held.end;
    if (begin >= end)
      continue;
    change[begin] += bytes;
    change[end] -= bytes;
  }
  int64_t peak = 0;
  for (size_t i = top; i < nodes_.size(); ++i)
    peak = std::max(peak, alive += change[i]);
  return peak;
}

} // namespace ccgraph
