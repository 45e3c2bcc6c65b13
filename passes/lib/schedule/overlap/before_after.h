// earliest, remaining: lower bounds of the time that the compute stream and collectives need before a step, and after
// it.
//
// For each step, three paths count: the longest path of computation and collectives; all computation that the end of
// that path needs; and from each of the last waits on the path, the computation between it and the step. Sets of
// computing steps are stored as bits over a window of the program, and as a sum for older steps. So the result may be
// below the exact bound, never above it, and the cost a step is independent of the program's size.
//
// Ownership: plain values. Failure: none. Cost: linear in edges; some 150 bytes a step meanwhile.
#pragma once

#include "schedule/overlap/problem.h"

#include <array>

namespace ccgraph::overlap {

/// Picoseconds if collectives take their own time, and if they are merged in the best way.
enum TransferCase : uint8_t { Unmerged, Merged };
using Moments = std::array<int64_t, 2>;

/// Returns, by step, a lower bound in picoseconds from the start of the program until computation reaches it.
/// `transfers`: by step of a launch.
[[nodiscard]] std::vector<Moments> earliest(const Problem &problem, const std::vector<Moments> &transfers);
/// Returns, by step, a lower bound in picoseconds from its end (for a launch: from its issue) to the end of the
/// program.
[[nodiscard]] std::vector<Moments> remaining(const Problem &problem, const std::vector<Moments> &transfers);

} // namespace ccgraph::overlap
