// lowerBoundsUnder: computes a time that no legal order of a program can beat within a memory budget.
//
// The budget forces steps before or after others in every order (memory_windows.h). The bounds of bound.h hold for the
// program with this order as edges. Where single collectives are free, many may not be: at a step with little memory
// left (memorySides()), only some gathers can have been issued before, and only some reductions can keep their inputs
// until after. The others run on their stream after that step, or before it:
//
//   time of the program >= earliest end of the step + time of the later gathers - time of those that fit + tail
//
// The best choice of what fits is a fractional knapsack (G. B. Dantzig, Discrete-variable extremum problems, Operations
// Research 5, 1957), which is never below the choice of whole collectives.
//
// Ownership: plain values. Failure: nullopt if it finds that no order fits the budget; it may not find it. Cost: some
// rounds over the program, and a minimum cut and a sort of the collectives for each of some steps.
#pragma once

#include "schedule/overlap/bound.h"

#include <optional>

namespace ccgraph::overlap {

/// `free`: the job times of the problem with any memory. `budget`: bytes. `peaks`: steps at which much memory is live
/// in every order, if some are known.
[[nodiscard]] std::optional<Bounds> lowerBoundsUnder(const Problem &problem, const JobTimes &free, int64_t budget,
                                                     llvm::ArrayRef<uint32_t> peaks = {});

} // namespace ccgraph::overlap
