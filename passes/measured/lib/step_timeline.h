// Chooses the step that is most like the median, and puts its items on one clock.
//
// Ownership: the result owns its texts. Failure: none; a job without a common step has an empty timeline. Cost: linear
// in the items of all steps to choose, and in those of one step to copy.
#pragma once

#include "ccgraph/measured/explain.h"
#include "lanes.h"

namespace ccgraph::measured {

/// `accounts` are those of collectiveAccounts().
[[nodiscard]] JobTimeline timelineOf(const MatchedJob &job, const JobLanes &lanes,
                                     llvm::ArrayRef<CollectiveAccount> accounts);

} // namespace ccgraph::measured
