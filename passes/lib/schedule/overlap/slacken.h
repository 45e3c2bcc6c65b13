// delayWaits: the same schedule with each wait as late as its readers and memory allow.
//
// A walk waits early where that gives memory back: at the first moment at which the transfer is done as planned, so it
// costs nothing. Where links are slower, the same wait idles. A wait that stands later, in front of the first step that
// needs it, makes no moment of a perfect machine later. It holds what the transfer reads and fills for longer, so it goes
// only as far as the budget allows.
//
// Ownership: plain values. Failure: none. Cost: O(log n) squared a wait, and a curve of memory.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

/// `budget`: bytes that no move may go over. Does not look at Schedule::picoseconds and peakBytes, and does not set them.
[[nodiscard]] Schedule delayWaits(const Problem &problem, Schedule schedule, int64_t budget);

} // namespace ccgraph::overlap
