// earliest, remaining: what must run on the compute stream and in transfers before a step, and after it.
//
// Counted is, for each step: the longest path of computation and transfers; all computation that the path's end needs;
// and from each of the last waits on the way, the computation between it and the step. Sets of computing steps are kept
// as bits over a window of the program, and as a sum of what is older: so the result may be less than the truth, never
// more, and costs the same a step in a program of any size.
//
// Ownership: plain values. Failure: none. Cost: linear in edges; some 150 bytes a step meanwhile.
#pragma once

#include "schedule/overlap/problem.h"

#include <array>

namespace ccgraph::overlap {

/// Picoseconds where transfers take what they take, and where they are merged as well as can be.
enum TransferCase : uint8_t { Unmerged, Merged };
using Moments = std::array<int64_t, 2>;

/// By step: picoseconds from the program's start before computation can come to it, at least. `transfers`: by step of a
/// launch.
[[nodiscard]] std::vector<Moments> earliest(const Problem &problem, const std::vector<Moments> &transfers);
/// By step: picoseconds from its end (of a launch: from its being issued) to the program's end, at least.
[[nodiscard]] std::vector<Moments> remaining(const Problem &problem, const std::vector<Moments> &transfers);

} // namespace ccgraph::overlap
