// largestBuckets: computes the maximum bytes of a bucket with a given launch, over all orders.
//
// Launches of a bucket are adjacent. In tensor parallelism, for example, each collective needs computation on the
// result of the previous one. Two such launches cannot share a bucket in any order. So a launch can share a bucket only
// with launches of its key to which it has no such path.
//
// Ownership: plain values. Failure: none. Cost: edges times a 64th of the launches that may merge. If that exceeds a
// limit, dependences are ignored, and the result is all bytes of the key.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

/// Returns bytes by step; 0 for a step that never merges.
[[nodiscard]] std::vector<int64_t> largestBuckets(const Problem &problem);

} // namespace ccgraph::overlap
