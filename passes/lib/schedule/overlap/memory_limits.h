// memoryLimits: the memory limits under which the search looks for schedules, the lowest first.
//
// The search under a small limit can find a faster schedule than the search under a larger limit, because both are
// greedy. So the result within a budget is the fastest one of all limits up to the budget. The limits depend on the
// program alone, apart from the last one, the budget itself. So a larger budget has all limits of a smaller budget that
// is one of them, and more memory gives no slower step:
//
//   peak = 100   budget 118    limits 100, 105, 110, 118
//                budget 110    limits 100, 105, 110
//
// Ownership: plain values. Failure: none. Cost: one search for each limit; one in all where the budget is the peak of
// the program.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

/// Bytes at the peak.
struct KnownPeaks {
  /// no order needs less
  int64_t floor = 0;
  /// of the program in its user's form: the limits are parts of it
  int64_t program = 0;
};

/// Bytes, ascending; the last limit is the budget. No limit is below `floor` except the budget.
[[nodiscard]] std::vector<int64_t> memoryLimits(KnownPeaks peaks, int64_t budget);

} // namespace ccgraph::overlap
