// largeBucket: computes the bytes of a bucket above which a larger one is hardly better.
//
// With many ranks, latency is a part of the time even of a bucket of many megabytes: a ring of 256 ranks has 255 steps,
// whatever the bytes. So the size above which latency hardly matters depends on the groups of the program.
//
// Ownership: plain values. Failure: none. Cost: linear in steps, and a few cost estimates for each kind of collective.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

/// Returns at least 512 MiB, doubled until one collective takes at most 2 % more time a byte than a bucket of all
/// collectives of its kind.
[[nodiscard]] int64_t largeBucket(const Problem &problem);

} // namespace ccgraph::overlap
