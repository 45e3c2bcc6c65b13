// Accounts: what each rank spends a step on, the medians of each collective, and the shares of what is matched.
//
// Ownership: the results own their texts. Failure: none. Cost: linear in the items.
#pragma once

#include "ccgraph/measured/explain.h"
#include "lanes.h"

namespace ccgraph::measured {

/// A stall at a wait, divided at the arrival of the last rank and at the end of the collective; nanoseconds.
struct StallParts {
  int64_t waiting = 0;
  int64_t transfer = 0;
  int64_t after = 0;
};
[[nodiscard]] StallParts partsOf(const Item &wait, const JointTransfer *joint);
/// Returns the collective that ends last of those that the wait completes; null if none was recorded.
[[nodiscard]] const JointTransfer *awaited(const MatchedJob &job, const JobLanes &lanes, size_t step, size_t rank,
                                           const Item &wait);

[[nodiscard]] std::vector<RankAccount> rankAccounts(const MatchedJob &job, const JobLanes &lanes);
/// In the order of the program.
[[nodiscard]] std::vector<CollectiveAccount> collectiveAccounts(const MatchedJob &job, const JobLanes &lanes);
/// Adds the shares of rules and events, and the time of the host.
void addShares(const MatchedJob &job, JobExplanation &explanation);
/// Returns the graphs of the request with the median time of each computing node over steps, ranks and executions, and
/// the transfer of each collective.
[[nodiscard]] std::vector<GraphAccount> graphAccounts(const MatchedJob &job, const JobLanes &lanes);

} // namespace ccgraph::measured
