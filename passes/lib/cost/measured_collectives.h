// Measured collectives: estimates the time of a collective from a machine's samples of other sizes.
//
// Between two measured sizes, time grows linearly. Below the smallest it is constant, since small messages are bound by
// latency. Above the largest it grows as between the last two, or with the bytes if there is only one sample.
//
// A pure function. Failure: none. Cost: two binary searches.
#pragma once

#include "cost/collective_time.h"

#include <optional>

namespace ccgraph {

/// Returns the measured sizes in bytes, ascending; none if no collective of this kind was measured on as many ranks and
/// nodes.
[[nodiscard]] std::vector<int64_t> measuredSizes(const Machine &machine, const CollectiveShape &shape);

/// Returns microseconds; empty if measuredSizes() is.
[[nodiscard]] std::optional<double> measuredMicroseconds(const Machine &machine, const CollectiveShape &shape);

} // namespace ccgraph
