// BudgetLadder: the memory limits under which the search looks for schedules, the lowest first.
//
// The limits depend on the program alone, and the search under a limit depends only on that limit and the lower ones. So the
// search within a larger budget finds every schedule that the search within a smaller budget finds, and more memory never
// gives a slower step:
//
//   limits    least = 10   program = 12   12.2   12.6   13.2 ...   unlimited
//   budget 12.4            looks under 10, 12, 12.2 and 12.6, and takes the fastest schedule that needs 12.4 or less
//
// Under some limits the search is thorough, under those between them it only changes what it found under the limit before.
//
// Ownership: plain values. Failure: none. Cost: a few dozen limits.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

/// Bytes at the peak of two orders of a program.
struct KnownPeaks {
  /// the order that needs least of those known
  int64_t least = 0;
  /// the order of the program itself; at least `least`
  int64_t program = 0;
};

struct Limit {
  int64_t bytes = 0;
  bool isThorough = true;
};

/// Ascending; the last limit is the first one that is not below the budget. Of a budget below `least`: that budget alone.
[[nodiscard]] std::vector<Limit> budgetLadder(KnownPeaks peaks, int64_t budget);

} // namespace ccgraph::overlap
