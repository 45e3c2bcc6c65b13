// largeBucket: bytes of a bucket than which a larger one is hardly better.
//
// The latency of a transfer among many ranks is a part of the time even of a bucket of many megabytes: a ring of 256
// ranks has 255 steps, whatever the bytes. So the size from which on latency hardly counts depends on the groups of the
// program.
//
// Ownership: plain values. Failure: none. Cost: linear in steps, and a few prices for each kind of collective.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

/// At least 512 MiB, doubled until one transfer takes at most 2 % more time a byte than a bucket of all collectives of
/// its kind.
[[nodiscard]] int64_t largeBucket(const Problem &problem);

} // namespace ccgraph::overlap
