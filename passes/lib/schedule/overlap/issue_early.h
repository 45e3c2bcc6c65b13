// issueEarly: issues each collective of a schedule as early as its inputs, the order on its stream and memory allow.
//
// On a machine without contention, no time in the program becomes later: a collective begins when the compute stream
// has reached its launch and its stream is free, and an earlier launch with the same order on its stream delays
// neither. The step is seldom shorter, since a trial schedule already keeps streams busy. But if links or computation
// are slower or faster than planned, an early collective has spare time that one issued just in time does not have.
//
// Ownership: plain values. Failure: none. Cost: O(log n) squared a launch, and a memory curve.
#pragma once

#include "schedule/overlap/budget.h"

namespace ccgraph::overlap {

struct IssueEarlyOptions {
  /// bytes that no move may exceed
  Budget budget = unlimited;
  /// the only launches to issue earlier; empty: all
  llvm::ArrayRef<uint32_t> only = {};
  /// If given, by step: the steps that need it. Computation that only one transfer needs then moves with it, such as
  /// the cast of a parameter before its gather, or the product before the reduction of a gradient. Steps between may be
  /// later by its time.
  const NumberLists *followers = nullptr;
};

/// Neither reads nor sets Schedule::picoseconds and peakBytes.
[[nodiscard]] Schedule issueEarly(const Problem &problem, Schedule schedule, const IssueEarlyOptions &options);

} // namespace ccgraph::overlap
