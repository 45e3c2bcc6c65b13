// WhatIf: what would be alive if some nodes stood elsewhere.
//
// A pass asks this before it moves anything, because most moves that do not fit can be told from a few
// sums. The nodes would stand next to each other, in their order, right before `place`; the *rows
// between* are those from their old places to `place` that do not move. For each interval that a moved
// node holds, its ends are worked out anew. So if c, which is the last to read a and makes d, rises
// from row 4 to before row 2:
//
//   rows now    1: a = f()   2: x        3: y        4: c: d = g(a)   5: h(d)
//   rows then   1: a = f()   c: d = g(a)   2: x        3: y             5: h(d)
//   rows 2 and 3 lose a and gain d; the row of c has what is alive before row 2, and d
//
// Buffers that a rewrite makes besides are not its business: they are intervals of their own, once
// made.
//
// Ownership: refers to live bytes and nodes, which must not change in between.
// Cost: O(k log k) to build for k holders of the intervals that the nodes hold; O(k) a row between, and
// O(k) for the rows of all nodes together.
// Fails never.
#pragma once

#include "analysis/live_bytes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace ccgraph {

class WhatIf {
public:
  /// `nodes` in program order, all above `place` or all below it. `apart`: nodes that move along, to stand on the far side
  /// of those rows that stay next to `place` (after the others where these rise, before them where they sink); nothing is
  /// asked of their own rows. One of the two lists may be empty.
  WhatIf(const LiveBytes &live, llvm::ArrayRef<Node *> nodes, Node *place, llvm::ArrayRef<Node *> apart = {});

  /// Alive at a row between.
  [[nodiscard]] int64_t aliveAt(const Node *row) const;
  /// False only if more than `limit` would surely be alive at some row of [from, to), which are rows between. A quick look:
  /// it asks the first few that are near the limit.
  [[nodiscard]] bool mayFitBetween(Node *from, const Node *to, int64_t limit) const;
  /// The most that would be alive at the rows of `nodes`; 0 where there are none.
  [[nodiscard]] int64_t peakOfMoved() const;

private:
  /// One interval after the move.
  struct Held {
    LiveBytes::IntervalId id = 0;
    /// rows between see it from here on; null: all do
    const Node *first = nullptr;
    /// ... up to here; null: none does
    const Node *last = nullptr;
    /// ... or up to the last of them, whatever `last` says
    bool through = false;
    /// none does, because it only begins after them
    bool late = false;
    /// of the nodes, those from `begin` to before `end` see it
    size_t begin = 0;
    size_t end = 0;
  };
  [[nodiscard]] bool isApart(const Node *node) const { return apart_.contains(node); }
  [[nodiscard]] bool moves(const Node *node) const { return order_.count(node) != 0 || isApart(node); }
  [[nodiscard]] Held heldAfter(LiveBytes::IntervalId id) const;
  /// Notes a holder that does not move.
  void stays(const Node *holder, Held &held) const;
  [[nodiscard]] bool isAliveNow(LiveBytes::IntervalId id, const Node *row) const;

  const LiveBytes &live_;
  llvm::ArrayRef<Node *> nodes_;
  Node *place_;
  bool up_;
  llvm::DenseMap<const Node *, size_t> order_;
  llvm::DenseSet<const Node *> apart_;
  std::vector<Held> held_;
};

} // namespace ccgraph
