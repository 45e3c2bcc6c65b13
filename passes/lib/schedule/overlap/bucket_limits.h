// largestBuckets: the most bytes that a bucket with a given launch can have, in any order.
//
// Launches of a bucket stand next to each other. So where one needs a step that needs the other, as each exchange of tensor
// parallelism needs what was computed from the one before, no order has the two in one bucket: a launch can share with
// those of its key alone that stand to it in no such way.
//
// Ownership: plain values. Failure: none. Cost: edges times a 64th of the launches that may merge; where that would be too many,
// dependences are not looked at, and the answer is all bytes of the key.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

/// By step: bytes; 0 for what never merges.
[[nodiscard]] std::vector<int64_t> largestBuckets(const Problem &problem);

} // namespace ccgraph::overlap
