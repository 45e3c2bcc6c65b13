// The longest duration that a reader accepts for one node: some 19 minutes.
//
// Times are summed in 64 bits. An overflow takes 8,000 nodes of that length, which no graph has.
#pragma once

#include <cstdint>

namespace ccgraph {

inline constexpr int64_t longestDurationPs = int64_t{1} << 50;

} // namespace ccgraph
