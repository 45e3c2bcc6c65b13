// robust: computes a schedule that takes no longer as planned, and less time if links are faster or slower than
// planned.
//
// A large bucket saves latency while its stream is late; otherwise it costs time, because its readers wait for the
// whole bucket. So each bucket that would be exposed with links twice as fast is split in two, and each half is issued
// as early as possible (issue_early.h). A split is kept only if the planned step grows very little and the step on
// other links shrinks by far more.
//
// Ownership: plain values. Failure: none. Cost: up to three replays, and one issueEarly(), for each of `rounds`.
#pragma once

#include "schedule/overlap/budget.h"

namespace ccgraph::overlap {

struct RobustnessOptions {
  Budget budget = unlimited;
  /// Maximum number of splits that are tried. With 0, collectives are only issued earlier and waits only delayed, so
  /// nothing is slower.
  unsigned rounds = 8;
};

/// `schedule` must have its time and peak; so has the result. Its peak is within the budget, or within that of
/// `schedule` if that is more.
[[nodiscard]] Schedule robust(const Problem &problem, Schedule schedule, const RobustnessOptions &options);

} // namespace ccgraph::overlap
