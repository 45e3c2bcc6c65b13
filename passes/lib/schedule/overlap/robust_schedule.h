// robust: a schedule that takes no longer as planned, and less where links are faster or slower than planned.
//
// A large bucket saves latency while its stream is behind, and costs where it is not: what computes waits for all of it
// at once. So each bucket that would be exposed with links twice as fast is cut in two, and each half goes as early as it
// can (issueEarly.h), as long as the step as planned grows by next to nothing and the other shrinks by far more.
//
// Ownership: plain values. Failure: none. Cost: a replay or three, and a hastening, for each of `rounds`.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

struct RobustnessOptions {
  int64_t budget = unlimited;
  /// Most cuts that are tried. With 0, transfers only go earlier and waits later, so nothing is slower.
  unsigned rounds = 8;
};

/// `schedule` has its time and peak; so has the result. Neither is over the budget, or over what the schedule needs if
/// that is more.
[[nodiscard]] Schedule robust(const Problem &problem, Schedule schedule, const RobustnessOptions &options);

} // namespace ccgraph::overlap
