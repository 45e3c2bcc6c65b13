// Measured collectives: what the samples of a machine say of a collective of another size.
//
// Between two sizes that were timed, time is taken to grow evenly; below the smallest it stays, since what is small waits
// for latency; above the largest it grows as between the last two, or with the bytes where there is only one.
//
// Pure function. Failure: none. Cost: two binary searches.
#pragma once

#include "cost/collective_time.h"

#include <optional>

namespace ccgraph {

/// Microseconds; empty where no collective of this kind was timed on as many ranks and nodes.
[[nodiscard]] std::optional<double> measuredMicroseconds(const Machine &machine, const CollectiveShape &shape);

} // namespace ccgraph
