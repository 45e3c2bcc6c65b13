// rebalance: moves launches between the buckets of a schedule, as long as the step gets shorter.
//
// A trial schedule fills each bucket up to one number of bytes. So a bucket whose end is awaited may contain launches
// that nobody awaits yet, and the last bucket of a program may be too large while the one before it has time to spare.
//
//   before   [a b c] [d e], and the wait for a stalls
//   after    [a b] [c d e]
//
// The bucket that is exposed most is changed first, in one of these ways: the buckets before it, which occupy its
// stream without a pause, are joined in pairs; its last launches move to the next bucket of the same key, its first
// launches to the previous one; it is split in two, or joined with one of the two; two of the buckets before it are
// joined. Everything is then issued as early as inputs, streams and memory permit (exchange_transfers.h,
// issue_early.h). A replay decides, so links with contention are included.
//
// Ownership: plain values. Failure: none. Cost: an issueEarly(), a delayWaits() and a replay for each of `tries`.
#pragma once

#include "schedule/overlap/budget.h"

namespace ccgraph::overlap {

struct RebalanceOptions {
  Budget budget = unlimited;
  /// maximum number of changes that are tried
  unsigned tries = 0;
};

/// `schedule` must have its time and peak; so has the result, which takes no longer. Its peak is within the budget, or
/// within that of `schedule` if that is more.
[[nodiscard]] Schedule rebalance(const Problem &problem, Schedule schedule, const RebalanceOptions &options);

} // namespace ccgraph::overlap
