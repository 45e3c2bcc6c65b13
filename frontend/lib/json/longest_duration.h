// The longest duration that a reader takes for one node: some 19 minutes.
//
// Because times are added up in 64 bits, and no program has the 8,000 nodes of that length which would be too many.
#pragma once

#include <cstdint>

namespace ccgraph {

inline constexpr int64_t longestDurationPs = int64_t{1} << 50;

} // namespace ccgraph
