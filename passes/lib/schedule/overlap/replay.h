// replay: how long a schedule takes and how much memory it needs, step by step.
//
// What is said of a schedule comes from here, and tests hold the walk's own clock to it: the two share
// nothing but the problem. The time of a program is the end of the last thing on any stream. A
// collective is exposed for as long as computation idles at its wait, or after the last step for it to
// end. What a machine does that is not perfect is counted too (Problem::crowding).
//
// Ownership: plain values. Failure: none; the schedule is one of the problem. Cost: linear in steps,
// edges and holders.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

/// Picoseconds, but for the peak.
struct Replay {
  /// of the whole program
  int64_t total = 0;
  /// slowdown by transfers included
  int64_t compute = 0;
  /// total - compute
  int64_t exposed = 0;
  int64_t peakBytes = 0;
  /// place in the order at which the peak is reached first
  size_t peakAt = 0;
  /// by stream: how long it is busy
  std::vector<int64_t> busy;
  /// By step of a launch, a bucket's under its first member: when the transfer begins and ends, and for how long it is
  /// exposed.
  std::vector<int64_t> begin, end, exposedBy;
  /// by step: when computation comes to it, and when it goes on
  std::vector<int64_t> at, left;
};

/// Each transfer takes `times` / `of` as long as the problem says.
struct LinkTime {
  int64_t times = 1;
  int64_t of = 1;
};

[[nodiscard]] Replay replay(const Problem &problem, const Schedule &schedule);
/// Times alone: nothing is counted of memory, which hangs on no link.
[[nodiscard]] Replay replayTimes(const Problem &problem, const Schedule &schedule, LinkTime links = {});
/// The schedule with the time and the peak that a replay finds.
[[nodiscard]] Schedule measured(const Problem &problem, Schedule schedule);
struct MemoryPeak {
  int64_t bytes = 0;
  /// place in the order at which it is reached first
  size_t at = 0;
};
/// The same peak as replay() finds, without times.
[[nodiscard]] MemoryPeak memoryPeak(const Problem &problem, const Schedule &schedule);
/// Bytes alive at each place of the order.
[[nodiscard]] std::vector<int64_t> memoryByPlace(const Problem &problem, const Schedule &schedule);
/// The program in its own order.
[[nodiscard]] Schedule asItStands(const Problem &problem);

} // namespace ccgraph::overlap
