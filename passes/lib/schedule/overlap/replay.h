// replay: computes the time and the memory of a schedule, step by step.
//
// All reported figures come from here, and tests compare the clock of trial schedules with it: the two share only the
// problem. The time of a program is the end of the last activity on any stream. A collective is exposed for as long as
// the compute stream stalls at its wait, or, after the last step, until it ends. Contention is included
// (Problem::crowding).
//
// Ownership: plain values. Failure: none; the schedule must belong to the problem. Cost: linear in steps, edges and
// holders.
#pragma once

#include "schedule/overlap/budget.h"

namespace ccgraph::overlap {

/// Picoseconds, except the peak.
struct Replay {
  /// of the whole program
  int64_t total = 0;
  /// includes the slowdown by collectives
  int64_t compute = 0;
  /// total - compute
  int64_t exposed = 0;
  int64_t peakBytes = 0;
  /// position in the order at which the peak is first reached
  size_t peakAt = 0;
  /// by stream: how long it is busy
  std::vector<int64_t> busy;
  /// By step of a launch (for a bucket, of its first member): when the collective begins and ends, and for how long it
  /// is exposed.
  std::vector<int64_t> begin, end, exposedBy;
  /// by step: when the compute stream reaches it, and when it continues
  std::vector<int64_t> at, left;
};

/// Each collective takes `times` / `of` of its time in the problem.
struct LinkTime {
  int64_t times = 1;
  int64_t of = 1;
};

[[nodiscard]] Replay replay(const Problem &problem, const Schedule &schedule);
/// Computes times only: memory does not depend on links.
[[nodiscard]] Replay replayTimes(const Problem &problem, const Schedule &schedule, LinkTime links = {});
/// Returns the total of replayTimes(), without the records of steps.
[[nodiscard]] int64_t timeOf(const Problem &problem, const Schedule &schedule);
/// Returns the schedule with the time and the peak of a replay.
[[nodiscard]] Schedule measured(const Problem &problem, Schedule schedule);
struct MemoryPeak {
  int64_t bytes = 0;
  /// position in the order at which it is first reached
  size_t at = 0;
};
/// Returns the same peak as replay(), without times.
[[nodiscard]] MemoryPeak memoryPeak(const Problem &problem, const Schedule &schedule);
/// Sets the time and the peak of a schedule. Returns true if it takes at most this many picoseconds and fits the
/// budget. The peak takes longer to compute, so it is set only if the time is short enough.
[[nodiscard]] bool measureWithin(const Problem &problem, Schedule &schedule, int64_t longest, Budget budget);
/// Returns the live bytes at each position of the order.
[[nodiscard]] std::vector<int64_t> memoryByPlace(const Problem &problem, const Schedule &schedule);
/// Returns the program in its own order.
[[nodiscard]] Schedule asItStands(const Problem &problem);

} // namespace ccgraph::overlap
