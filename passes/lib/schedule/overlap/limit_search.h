// LimitSearch: finds the best of several trial schedules of one program under one memory limit.
//
// A trial schedule is quick, and its policy decides much: how large buckets may be, how early parameters are fetched,
// how much computation is deferred. The best policy depends on the program. So several are tried, one change at a time
// from the best so far (coordinate descent), by the clock of the trial schedule itself, which tests compare with
// replay(). With contention (Problem::crowding), which a trial schedule does not model, replay() evaluates its result.
// Trial schedules plan with the limit, or less. A last one plans with more, and counts only if it stays within the
// limit. So a schedule that fits the limit is found even if the plan overestimates its memory.
//
// A trial schedule whose result is recorded (trial_record.h) is not computed, unless it is the best one.
//
// A brief search repeats the best policy of an earlier search, and so needs few trial schedules.
//
// Deterministic: a function of the problem, the starts and the options alone. Ownership: plain values. Failure: none; a
// start is the fallback. Cost: `maxWalks` trial schedules, and one or two; brief: at most five.
#pragma once

#include "schedule/overlap/search.h"
#include "schedule/overlap/starts.h"
#include "schedule/overlap/trial_record.h"

namespace ccgraph::overlap {

/// Bytes over the limit, then picoseconds: less is better.
using Rank = std::pair<int64_t, int64_t>;
[[nodiscard]] Rank rankUnder(Budget limit, const Schedule &schedule);

struct LimitResult {
  /// The fastest schedule within the budget, which is the limit; if none was found, the one of the lowest peak. The
  /// program's own order wins a tie, and wins against any schedule over the budget without a lower peak.
  Schedule schedule;
  /// the best trial schedule; the schedule may still be a start
  Attempt attempt;
};

/// What all searches of one program share.
struct SharedTrials {
  /// must have its bases
  const Starts &starts;
  TrialRecord &record;
};

[[nodiscard]] LimitResult searchUnder(const Problem &problem, const SharedTrials &shared, const SearchOptions &options);
/// Searches briefly, with the policy of an earlier result. `maxWalks` has no effect.
[[nodiscard]] LimitResult searchBriefly(const Problem &problem, const SharedTrials &shared, int64_t limit,
                                        const Attempt &attempt);

} // namespace ccgraph::overlap
