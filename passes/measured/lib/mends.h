// Mends: what a step would gain if one cause were mended, by replays.
//
// Ownership: the result owns its texts. Failure: none; a change that cannot be replayed is left out. Cost: one replay
// for each cause.
#pragma once

#include "ccgraph/measured/explain.h"
#include "replay.h"

namespace ccgraph::measured {

/// Adds the replayed time, the computation that is slowed by overlap, and the mends.
void addMends(const MatchedJob &job, const JobLanes &lanes, JobExplanation &explanation);

} // namespace ccgraph::measured
