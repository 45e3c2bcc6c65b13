// issueEarly: the same schedule with each transfer issued as early as inputs, the order on its stream and memory allow.
//
// On a perfect machine no moment of a program comes later by that: a transfer begins when computation has come to its
// launch and its stream is free, and neither is later if a launch stands earlier with the same order on its stream. The
// step is seldom shorter, since a walk issues what would be idle otherwise; but where links or computation turn out
// slower or faster than planned, a transfer that was issued early has the time that one issued just in time has not.
//
// Ownership: plain values. Failure: none. Cost: O(log n) squared a launch, and a curve of memory.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

struct HastenOptions {
  /// bytes that no move may go over
  int64_t budget = unlimited;
  /// the launch whose transfer alone is hastened; none: all
  uint32_t only = none;
};

/// Does not look at Schedule::picoseconds and peakBytes, and does not set them.
[[nodiscard]] Schedule issueEarly(const Problem &problem, Schedule schedule, const HastenOptions &options);

} // namespace ccgraph::overlap
