// MemoryWindows: which steps a memory budget forces before or after a step of the longest chain, in every order.
//
// A storage is live at a chain step in every order if a holder is needed by that step, and another one needs it. If
// these storages and those that a step v would keep live there exceed the budget, v cannot be on that side:
//
//   budget 10; c1 -> c2 -> c3 is the chain, 8 bytes are live at c2 in every order
//   g (a gather of 4 bytes that c3 reads) before c2:   8 + 4 > 10, so g comes after c2
//
// What is forced makes further storages live, so this is repeated until nothing changes. All conclusions hold for
// buckets too, because a bucket keeps the storages of its members live for longer.
//
// Ownership: refers to the problem. Failure: if no order fits the budget, isFeasible() may be false. Cost: a few
// rounds, each linear in edges and holders, with a search among the chain steps for each step.
#pragma once

#include "schedule/overlap/ordered_problem.h"

namespace ccgraph::overlap {

class MemoryWindows {
public:
  MemoryWindows(const Problem &problem, int64_t budget);

  /// False: no order of the problem fits the budget.
  [[nodiscard]] bool isFeasible() const { return feasible_; }
  [[nodiscard]] const std::vector<uint32_t> &chain() const { return chain_; }
  /// Bytes of the budget that are not live in every order at this chain step.
  [[nodiscard]] int64_t slack(size_t place) const { return budget_ - certain_[place]; }
  /// The last chain step that precedes `step` in every order, or is the step; -1 if none is known.
  [[nodiscard]] int64_t after(uint32_t step) const { return after_[step]; }
  /// The first chain step that follows `step` in every order, or is the step.
  [[nodiscard]] int64_t before(uint32_t step) const { return before_[step]; }
  /// The storage has begun at this chain step in every order; chain().size() if none is known.
  [[nodiscard]] int64_t begin(uint32_t storage) const { return begin_[storage]; }
  /// The storage is still needed at this chain step in every order; -1 if none is known. It is live in every order from
  /// begin() to end().
  [[nodiscard]] int64_t end(uint32_t storage) const { return end_[storage]; }

  /// Pairs (earlier step, later step) that the budget forces, and that the problem's edges do not have. None of the
  /// chain's own steps in them is a launch: launches of one bucket have no order.
  [[nodiscard]] std::vector<StepPair> edges() const;

private:
  class Forcer;
  void findOrder();
  void findLives();

  const Problem &problem_;
  int64_t budget_;
  NumberLists followers_;
  std::vector<uint32_t> chain_;
  bool feasible_ = true;
  /// by step: its place in the chain; -1
  std::vector<int64_t> placeOf_;
  /// by step
  std::vector<int64_t> after_, before_;
  /// by step: what the budget forces, beyond the edges
  std::vector<int64_t> forcedAfter_, forcedBefore_;
  /// by storage
  std::vector<int64_t> begin_, end_;
  /// by chain step: bytes that are live in every order
  std::vector<int64_t> certain_;
};

} // namespace ccgraph::overlap
