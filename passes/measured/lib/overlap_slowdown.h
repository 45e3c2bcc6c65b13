// OverlapSlowdown: by how much each computing item is slower because data moves at the same time.
//
// Ownership: plain values. Failure: none. Cost: linear in the items, and a search of the collectives of a step.
#pragma once

#include "lanes.h"

namespace ccgraph::measured {

struct OverlapSlowdown {
  /// by rank and item: nanoseconds beyond the median of the same calls without overlap; may be below zero
  std::vector<std::map<ItemKey, int64_t>> beyond;
  int64_t overlapped = 0; ///< computation that runs while data moves, of the mean rank in a step
  int64_t judged = 0;     ///< of it, the part with a call to compare with
  int64_t slowed = 0;     ///< sum of `beyond`, of the mean rank; at least 0
};

[[nodiscard]] OverlapSlowdown slowdownOf(const MatchedJob &job, const JobLanes &lanes);

} // namespace ccgraph::measured
