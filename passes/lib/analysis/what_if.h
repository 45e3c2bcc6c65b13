// WhatIf: what would be alive if some nodes stood elsewhere.
//
// A pass asks this before it moves anything: how far may these go, and how much memory do they lack to
// go further? All of them go one way, up or down. A row that they pass sees an interval that they hold
// from its first holder to its last, after the move. Which rows these are hangs on the nodes alone, not
// on how far they go beyond the row, so one WhatIf answers for every place. So if c, which is the last
// to read a and makes d, rises from row 4 to before row 2:
//
//   rows now    1: a = f()   2: x        3: y        4: c: d = g(a)   5: h(d)
//   rows then   1: a = f()   c: d = g(a)   2: x        3: y             5: h(d)
//   rows 2 and 3 lose a and gain d; the row of c has what is alive before row 2, and d
//
// A row passed on which one of the nodes itself stands now counts as if another step stood there; that
// step would find no more than its neighbours do. Buffers that a rewrite makes besides are not its
// business: they are intervals of their own, once made.
//
// Ownership: refers to live bytes and nodes, which must not change in between.
// Cost: O(k log k) to build for k intervals that the nodes hold, and the holders of those that a node
// ends; O(k) a row and a place; O(k log n) a search over any number of rows.
// Fails never.
#pragma once

#include "analysis/live_bytes.h"

namespace ccgraph {

/// Which way nodes go.
enum class Side : uint8_t { Up, Down };
inline Side otherSide(Side side) { return side == Side::Up ? Side::Down : Side::Up; }

class WhatIf {
public:
  /// `nodes` in program order. They come to stand next to each other, in that order. `apart`, in program order too: nodes
  /// that go the same way, but not so far: they stop at the near side of the last few rows, and nothing is asked of their
  /// own rows. One of the two lists may be empty.
  WhatIf(const LiveBytes &live, Side side, llvm::ArrayRef<Node *> nodes, llvm::ArrayRef<Node *> apart = {});

  /// Alive at a row that they pass.
  [[nodiscard]] int64_t aliveAt(const Node *row) const;
  /// Of the rows of [from, to), all of which they pass: the first one on their way that would have more than `limit` alive,
  /// and more than it has now; null if there is none.
  [[nodiscard]] Node *firstOver(Node *from, Node *to, int64_t limit) const;
  /// The most that would be alive at those of the rows that would have more than now; 0 where none would.
  [[nodiscard]] int64_t peakOfPassed(Node *from, Node *to) const;
  /// The most that would be alive at the rows of `nodes` themselves, right before `place`; 0 where there are none. Where
  /// they rise, those that stand above the place already do not move, and do not count.
  [[nodiscard]] int64_t peakOfMoved(Node *place) const;

private:
  using IntervalId = LiveBytes::IntervalId;
  /// That a node holds an interval. Nodes count from 0, and those apart after them.
  struct Member {
    IntervalId id = 0;
    size_t index = 0;
  };
  /// One interval that some of them hold.
  struct Held {
    IntervalId id = 0;
    /// its last holder that stays; null if there is none
    Node *lastThatStays = nullptr;
    /// its first holder moves
    bool made = false;
    /// of the nodes, those from `begin` to before `end` see it; all up to the last where it lives on below
    size_t begin = 0;
    size_t end = 0;
  };
  /// Rows, `to` not among them; null ends are those of the program.
  struct Rows {
    Node *from = nullptr;
    Node *to = nullptr;
    [[nodiscard]] bool contains(const Node *row) const {
      return (!from || !row->isBefore(from)) && (!to || row->isBefore(to));
    }
  };
  /// Neighbouring rows that all get as much more: more than nothing.
  struct Stretch {
    Node *from = nullptr;
    Node *to = nullptr;
    int64_t more = 0;
  };
  /// in the order in which the nodes pass them
  using Stretches = llvm::SmallVector<Stretch, 16>;

  [[nodiscard]] Held heldBy(llvm::ArrayRef<Member> members) const;
  [[nodiscard]] Node *lastThatStays(IntervalId id) const;
  [[nodiscard]] bool moves(const Node *node) const;
  [[nodiscard]] Rows now(const Held &held) const;
  /// Of the rows passed; empty if none sees it.
  [[nodiscard]] std::optional<Rows> then(const Held &held) const;
  [[nodiscard]] Stretches stretches(Node *from, Node *to) const;
  [[nodiscard]] Node *firstOver(const Stretches &stretches, int64_t limit) const;

  const LiveBytes &live_;
  Side side_;
  llvm::ArrayRef<Node *> nodes_;
  llvm::ArrayRef<Node *> apart_;
  std::vector<Held> held_;
  /// of all intervals held
  int64_t bytes_ = 0;
};

} // namespace ccgraph
