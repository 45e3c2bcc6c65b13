// memoryLimits: the memory limits under which the search looks for schedules.
//
// The search under a small limit can find a faster schedule than the search under a larger limit, because both are
// greedy. So the result within a budget is the fastest one of several limits that fits the budget. The limits depend on
// the program alone, never on the budget: those of a budget are a prefix of those of any larger budget. So for any two
// budgets, more memory gives no slower step:
//
//   least = 970, peak = 1000    budget 1114    limits 1000, 970, 975, 1010, 1020, ..., 1100, 1125
//                               budget 972     limits 1000, 970, 975
//
// The last limit may be above the budget: its result counts if it fits. Few limits are searched with all trial
// schedules; the first of these comes first. The others repeat the best policy of the limit before. A budget below
// `least` is a limit itself, since no order is known that needs so little.
//
// Ownership: plain values. Failure: none. Cost: some 60 limits; the caller searches under each.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

/// Bytes at the peak.
struct KnownPeaks {
  /// no order needs less
  int64_t floor = 0;
  /// of the known order that needs least
  int64_t least = 0;
  /// of the program in its user's form: the limits are parts of it
  int64_t program = 0;
};

/// How many trial schedules a limit gets.
enum class Effort : uint8_t {
  /// all of them
  Full,
  /// a few, which start from the best policy of the limit before
  Brief,
};

struct MemoryLimit {
  int64_t bytes = 0;
  Effort effort = Effort::Full;
  friend bool operator==(const MemoryLimit &, const MemoryLimit &) = default;
};

/// Returns the limits of full effort below the budget, for a program of this peak, in ascending order.
[[nodiscard]] std::vector<int64_t> fullLimits(int64_t programPeak, int64_t budget);

/// Returns the lowest limit of full effort, and the others in ascending order.
[[nodiscard]] std::vector<MemoryLimit> memoryLimits(KnownPeaks peaks, int64_t budget);

} // namespace ccgraph::overlap
