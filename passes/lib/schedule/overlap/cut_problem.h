// cut: the problem of a program some of whose regions may run in pieces, without the pieces themselves.
//
// A region is a set of steps of which each piece needs one piece of every member before it:
//
//   g launch; w wait on g; p product of w; ...        piece k of p needs piece k of g
//
// So no member waits for the whole of another member, but for all that is before both; and a step outside the region
// that reads a member needs the whole of it and of all members before it. The edges of the result say exactly that, and
// each member stays one step. Jobs of lowerBounds() may be preempted, so the bound of the result holds for the region
// as a whole and for any pieces whose times add up to at least the time of the member. A transfer in pieces takes its
// bytes at the best rate of any size (Step::cut).
//
// The result serves bounds alone: it is no program that could run.
//
// Ownership: plain values; the functions of the result are those of the problem. Failure: none.
// Cost: for each region the steps from its first member to its last, and for each edge into or out of it the members.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

struct CutRegion {
  /// Regions that share a step are one region. A step on a path between two members is a member without a time.
  std::vector<uint32_t> steps;
  /// members whose work may be absent from the pieces: they take no time
  std::vector<uint32_t> absent;
  /// The time of each piece may be rounded down by less than a picosecond, so all may take this much less.
  int64_t mostPieces = 0;
};

[[nodiscard]] Problem withCuts(const Problem &problem, llvm::ArrayRef<CutRegion> regions);

} // namespace ccgraph::overlap
