// WhatIf: computes the live bytes that a move of one node down the program would produce.
//
// A pass uses it before a move to find how far the node may sink, and how much memory is missing for a longer move. A
// row that the node passes sees an interval that the node holds from its first holder to its last, after the move:
//
//   rows now    1: a = f()   2: c: d = g(a)   3: x             4: y             5: h(d)
//   rows then   1: a = f()   3: x             4: y             c: d = g(a)      5: h(d)
//   rows 3 and 4 gain a, if no later node holds it, and lose d
//
// These rows depend on the node alone, not on how far it moves beyond the row, so one WhatIf is valid for every target.
//
// Ownership: refers to live bytes and the node, which must not change in between. Failure: none.
// Cost: O(k log k) for k intervals that the node holds; O(k log n) a search over any number of rows.
#pragma once

#include "analysis/live_bytes.h"

namespace ccgraph {

class WhatIf {
public:
  WhatIf(const LiveBytes &live, const Node *node);

  /// Searches the rows of [from, to), all of which the node passes. Returns the first row that would have more than
  /// `limit` live bytes and more than it has now; null if there is none.
  [[nodiscard]] Node *firstOver(Node *from, Node *to, int64_t limit) const;
  /// Returns the maximum over the passed rows that would have more live bytes than now; 0 if there is none.
  [[nodiscard]] int64_t peakOfPassed(Node *from, Node *to) const;

private:
  /// One interval that the node holds.
  struct Held {
    LiveBytes::IntervalId id = 0;
    /// the node is its first holder
    bool made = false;
  };
  /// Consecutive rows that gain the same positive number of bytes.
  struct Stretch {
    Node *from = nullptr;
    Node *to = nullptr;
    int64_t more = 0;
  };
  using Stretches = llvm::SmallVector<Stretch, 16>;

  /// Returns the stretches in program order.
  [[nodiscard]] Stretches stretches(Node *from, Node *to) const;
  [[nodiscard]] Node *firstOver(const Stretches &stretches, int64_t limit) const;

  const LiveBytes &live_;
  llvm::SmallVector<Held, 8> held_;
  /// of all intervals in `held_`
  int64_t bytes_ = 0;
};

} // namespace ccgraph
