// lowerBounds: no legal order of a program is faster than this, however much memory it takes.
//
// Each stream runs its jobs one at a time. A job has a head, the earliest moment at which it can begin, and a tail, the
// least that must follow it. Jackson's preemptive rule, the released job with the longest tail first, gives the least
// end of such a machine (J. Carlier, The one-machine sequencing problem, 1982), so the largest over all streams is a
// bound. Heads and tails count more than the longest path, because computation is one stream too: what stands before a
// job takes at least the sum of its computation, and after a wait that the job needs, at least the sum of what needs the
// wait and is needed by the job.
//
// Ownership: plain values. Failure: none. Cost: linear in edges, some hundred operations each.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

struct Bound {
  int64_t picoseconds = 0;
  /// whose stream it is: a group; none: computation
  uint32_t stream = none;
};

struct Bounds {
  /// of any order of these very steps
  Bound anyOrder;
  /// Of any order with any merging of what may be merged (Step::mergeKey): such a transfer takes its bytes at the best
  /// rate that is found at powers of two up to the most bytes that a bucket with it can have (bucket_limits.h), and at
  /// that many.
  Bound anyMerging;
};
[[nodiscard]] Bounds lowerBounds(const Problem &problem);

} // namespace ccgraph::overlap
