// exchangeTransfers: puts new transfers in the place of transfers of a schedule that have the same launches.
//
// A transfer is a collective of one launch, or of the launches of a bucket. A new transfer is issued where its last
// launch was, or directly before the first step that needs one of its launches if that is earlier. Computation that its
// other launches need and that comes later, such as the cast of a parameter before its gather, moves with it.
//
//   before   c1 [g1] r1 c2 [g2] r2        c: casts, g: launches, r: readers
//   after    c1 c2 [g1 g2] r1 r2
//
// Ownership: plain values. Failure: none. Cost: linear in steps, and in the computation that moves.
#pragma once

#include "schedule/overlap/problem.h"

#include <optional>

namespace ccgraph::overlap {

/// Launches that are one collective, in the order of issue.
using Transfer = std::vector<uint32_t>;

/// Returns the schedule with the new transfers; nothing if one of them needs another one, a wait or too much
/// computation. `added`: together they have all launches of each transfer that they replace. `followers`: by step, the
/// steps that need it. Neither reads nor sets Schedule::picoseconds and peakBytes.
[[nodiscard]] std::optional<Schedule> exchangeTransfers(const Problem &problem, const NumberLists &followers,
                                                        const Schedule &schedule, llvm::ArrayRef<Transfer> added);

} // namespace ccgraph::overlap
