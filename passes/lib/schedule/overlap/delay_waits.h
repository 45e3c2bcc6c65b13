// delayWaits: delays each wait of a schedule as far as its readers and memory allow.
//
// A trial schedule waits early where that frees memory: at the first moment at which the collective has completed as
// planned, so without a stall. With slower links, the same wait stalls. A later wait, directly before the first step
// that needs it, delays nothing on a machine without contention. It keeps the collective's inputs and outputs live for
// longer, so it moves only as far as the budget allows.
//
// Ownership: plain values. Failure: none. Cost: O(log n) squared a wait, and a memory curve.
#pragma once

#include "schedule/overlap/budget.h"

namespace ccgraph::overlap {

/// `budget`: bytes that no move may exceed. Neither reads nor sets Schedule::picoseconds and peakBytes.
[[nodiscard]] Schedule delayWaits(const Problem &problem, Schedule schedule, Budget budget);

} // namespace ccgraph::overlap
