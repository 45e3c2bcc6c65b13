// What tests of improvements of a finished schedule share: schedules of random programs, and what each schedule must
// keep.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap::test {

/// Checks that all steps occur once, after the steps on which they depend, and that only views are between members of a
/// bucket.
void expectLegal(const Problem &problem, const Schedule &schedule);

/// Returns the peak bytes if everything that a bucket reads and fills is held until the last of its waits.
[[nodiscard]] int64_t peakWithBuckets(const Problem &problem, const Schedule &schedule);

/// A schedule of a random program under a budget of its own peak, and a larger budget.
struct Found {
  Problem problem;
  Schedule schedule;
  int64_t budget;
};

/// `seed` determines everything.
[[nodiscard]] Found found(uint64_t seed);

} // namespace ccgraph::overlap::test
