// walk: one trial schedule: a greedy list schedule of a program that decides order and buckets.
//
// Computation keeps its order with two exceptions: deferrable computation (tasks.h) may be deferred, and deferred
// computation fills later stalls. Before each task that runs for d picoseconds, every stream gets work until it is busy
// for d more. A collective with a reader soon is issued immediately, parameters and late gathers are fetched in the
// order in which they are needed, and reductions without urgent readers take the remaining time. Launches of one kind
// that are issued at the same moment form one bucket.
//
// Memory is planned on a curve: the memory that the program needs at each task if every collective is issued as late as
// possible. A prefetch adds its bytes from its issue to its use, and is issued only if the maximum of that range stays
// within the budget. Unplanned memory (reductions in flight, deferred computation) is checked again before each task:
// the schedule waits for collectives and runs deferred computation until the task fits.
//
// The budget can still be exceeded by an allocation of a task while no memory can be freed. The result contains the
// peak, and the search tries again with a smaller budget.
//
// After the experience of list schedulers (R. Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math.
// 17, 1969): no stream idles while it has a candidate.
//
// Ownership: refers to problem and tasks. Failure: none. Cost: O((steps + edges) log n).
#pragma once

#include "schedule/overlap/budget.h"
#include "schedule/overlap/memory_plan.h"

namespace ccgraph::overlap {

/// The parameters of one trial schedule.
struct Policy {
  /// bytes within which it plans
  int64_t budget = unlimited;
  /// maximum bytes of a bucket of prefetches; 0: each is issued alone
  int64_t prefetchBytes = 0;
  /// maximum bytes of a bucket of lasting launches
  int64_t lastingBytes = 0;
  /// picoseconds: how long before its latest start a prefetch may be issued
  int64_t lead = unlimited;
  /// lasting launches are issued before prefetches that are not urgent
  bool lastingFirst = false;
  /// maximum picoseconds of computation that are deferred at one time
  int64_t keepBack = 0;
};

/// A trial schedule.
struct Trial {
  Schedule schedule;
  /// the same policy with any of these budgets gives the same schedule
  BudgetRange budgets;
};

[[nodiscard]] LateCurve lateCurve(const Problem &problem, const Tasks &tasks);

/// `late` must be that of the problem.
[[nodiscard]] Trial walk(const Problem &problem, const Tasks &tasks, const LateCurve &late, const Policy &policy);

} // namespace ccgraph::overlap
