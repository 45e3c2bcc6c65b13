// lowerBounds: computes a time that no legal order of a program can beat, with any amount of memory.
//
// Each stream runs its jobs one at a time. A job has a head, the earliest moment at which it can begin, and a tail, the
// minimum time that must follow it. Jackson's preemptive rule (the released job with the longest tail first) gives the
// earliest end of such a machine (J. Carlier, The one-machine sequencing problem, 1982), so the maximum over all
// streams is a bound. Heads and tails count more than the longest path, because computation is a single stream. Before
// a job, the sum of its required computation must run. After a wait that the job needs, the sum of the computation
// between the wait and the job must run.
//
// Ownership: plain values. Failure: none. Cost: linear in edges, some hundred operations each.
#pragma once

#include "schedule/overlap/before_after.h"

namespace ccgraph::overlap {

struct Bound {
  int64_t picoseconds = 0;
  /// the stream that determines the bound: a group; none: computation
  uint32_t stream = none;
};

struct Bounds {
  /// for any order of exactly these steps
  Bound anyOrder;
  /// For any order with any allowed merging (Step::mergeKey). A collective that may merge takes its bytes at the best
  /// rate of any size up to the maximum size of its bucket (bucket_limits.h).
  Bound anyMerging;
};
[[nodiscard]] Bounds lowerBounds(const Problem &problem);

/// What the bounds are computed from, by step, in picoseconds. A launch is a job of its group's stream, and a step that
/// computes is one of the compute stream.
struct JobTimes {
  std::vector<Moments> times;
  /// the earliest begin
  std::vector<Moments> heads;
  /// the minimum time after the end; for a launch, after its completion
  std::vector<Moments> tails;
};
[[nodiscard]] JobTimes jobTimes(const Problem &problem);
[[nodiscard]] Bounds lowerBounds(const Problem &problem, const JobTimes &jobs);

} // namespace ccgraph::overlap
