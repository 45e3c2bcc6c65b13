// Finds a shortest circle of ranks that wait for each other.
//
// A launch that has arrived and does not complete is a *front*: there its rank stands. A front waits for each rank
// whose launch of the same collective, or whose other end, has not arrived; it points to the fronts of that rank which
// that launch needs first, directly or through other launches. A front that waits for a launch that does not exist is a
// witness by itself.
//
// Ownership: borrows its arguments. Failure: none. Cost: a breadth-first search from each front; each visits a set and
// place once, and ends at the length of the shortest circle so far. No circle has fewer than two launches, so the
// search ends at the first of two.
#pragma once

#include "progress.h"

namespace ccgraph::jobs {

/// A launch of a rank; `rank` is an index of JobData::ranks.
struct Front {
  Id rank = 0;
  Id launch = 0;
  friend auto operator<=>(const Front &, const Front &) = default;
};

/// A front, and the launch of its rank for which the front before it in the circle waits; none if there is no circle.
struct WitnessStep {
  Front front;
  Id awaited = none;
};

/// Returns fronts of which each waits for the rank of the next one, and the last for that of the first; one front if it
/// waits for a launch that does not exist. `progress` must have a deadlock.
[[nodiscard]] std::vector<WitnessStep> shortestWitness(const JobData &job, const Classes &classes,
                                                       const Progress &progress);

} // namespace ccgraph::jobs
