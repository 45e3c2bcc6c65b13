// walk: one greedy walk over a program that decides order and buckets.
//
// Computation keeps its order but for two things: what lies aside (tasks.h) may be kept back, and what
// was kept back fills the stalls of what comes later. Before each task that runs for d picoseconds,
// every stream is given work until it is busy for d more: what was produced for a reader that comes
// soon goes at once, parameters are fetched in the order in which they are needed, reductions that
// nobody waits for take what is left. Launches of one kind that go at the same moment are one bucket.
//
// Memory is planned on a curve: what the program needs at each task if every transfer goes as late as
// it can. A prefetch adds its bytes from where it goes to where it is needed, and goes only if the
// largest sum on that stretch stays within the budget. What the plan does not know of (reductions in
// flight, what was kept back) is looked at again before each task: transfers are waited for, and what
// was kept back runs, until the task fits.
//
// The budget can still be missed, by what a task allocates while nothing can be given back: the result
// says how much it takes, and the search walks again with less.
//
// After the experience of list schedulers (R. Graham, "Bounds on multiprocessing timing anomalies",
// SIAM J. Appl. Math. 17, 1969): no stream idles while something could go.
//
// Ownership: refers to problem and tasks. Fails never. Cost: O((steps + edges) log n).
#pragma once

#include "schedule/overlap/memory_plan.h"

namespace ccgraph::overlap {

/// What one walk tries.
struct Policy {
  /// bytes that the plan may need
  int64_t budget = unlimited;
  /// most bytes of a bucket of prefetches; 0: each goes alone
  int64_t prefetchBytes = 0;
  /// most bytes of a bucket of lasting launches
  int64_t lastingBytes = 0;
  /// picoseconds: how long before its latest start a prefetch may go
  int64_t lead = unlimited;
  /// lasting launches go before prefetches that have time
  bool lastingFirst = false;
  /// picoseconds of computation that may be kept back at a time
  int64_t keepBack = 0;
};

[[nodiscard]] LateCurve lateCurve(const Problem &problem, const Tasks &tasks);

/// `late` is that of the problem.
[[nodiscard]] Schedule walk(const Problem &problem, const Tasks &tasks, const LateCurve &late, const Policy &policy);

} // namespace ccgraph::overlap
