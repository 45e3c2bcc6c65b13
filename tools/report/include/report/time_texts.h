// Texts of the summary about times in picoseconds: of a step with its share, and of its bounds.
//
// Ownership: plain values. Failure: none. Cost: O(1).
#pragma once

#include "ccgraph/passes/bounds.h"

#include <string>

namespace ccgraph::report {

/// Returns a text such as "1,398.3 ms (58.9 %)".
[[nodiscard]] std::string timeWithShare(int64_t part, int64_t whole);

/// Returns a text such as "701.9 ms in any order with any merging (8.3 % less), 740.2 ms within the memory budget
/// (3.3 % less), 702.3 ms without merging; held by group 0". The limiting factor is computation or the collectives of
/// one group. `total`: the step, in picoseconds.
[[nodiscard]] std::string boundText(const StepBounds &bounds, int64_t total);

} // namespace ccgraph::report
