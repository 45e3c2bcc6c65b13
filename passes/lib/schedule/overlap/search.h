// search: the best of several walks over one program.
//
// A walk is quick and its policy decides much: how large buckets may be, how early parameters are
// fetched, how much computation is kept back. Which policy is good hangs on the program, so several
// are tried, one change at a time from the best so far (coordinate descent), by the clock
// of the walk itself, which tests hold to replay(). On a crowded machine (Problem::crowding), which a walk knows
// nothing of, replay() judges what it found. Walks plan with the budget, or less; a last one plans with more, and counts
// where it does not need it: so a budget that a schedule fits is not passed over because of what the plan thought of it.
//
// Of a program so small that many orders can be looked at, a beam (beam.h) is asked besides.
//
// Deterministic: a function of the problem and the options alone. Ownership: plain values. Failure:
// none; the program as it stands is what it falls back to. Cost: `maxWalks` walks, and one.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

struct SearchOptions {
  /// bytes that the program may need at its peak
  int64_t budget = unlimited;
  /// most walks
  unsigned maxWalks = 16;
  /// states a level of a beam over small programs; 0: none
  size_t beamWidth = 0;
};

/// The fastest schedule within the budget; where none was found, the one of the lowest peak. What was there before wins
/// a tie, and everything over the budget that is no lower.
[[nodiscard]] Schedule search(const Problem &problem, const SearchOptions &options);

} // namespace ccgraph::overlap
