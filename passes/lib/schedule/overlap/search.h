// search: the fastest schedule of a program within a memory budget.
//
// Under one memory limit, several trial schedules with different policies are computed (limit_search.h). The best one
// gets computation moved into its stalls (fill_stalls.h) and is made robust against links that are faster or slower
// than planned (robust_schedule.h). A beam (beam.h) searches programs so small that many orders can be compared. If it
// visits all orders, its result is the optimum within the budget, and so needs no smaller limits.
//
// Each part is greedy, so a smaller limit can give a faster schedule. The search therefore runs under a fixed list of
// limits (memory_limits.h), and the fastest result within the budget counts. So more memory never gives a slower step.
//
// Neighbouring limits often have the same schedule before it is improved. If nothing that its improvement asks depends
// on which of these limits it is (budget.h), it is improved once for all of them.
//
// A simple plan (simple_plan.h) and the orders of other schedulers, which do not depend on the budget, are candidates.
// So the result is no slower than any of them that fits the budget.
//
// Deterministic: a function of the problem and the options alone. Ownership: plain values. Failure: none; the program
// in its present order is the fallback. Cost: `maxWalks` trial schedules and a few more for each of at most eleven
// limits, and some five for each of the others; one limit if the budget is the peak of the program and no order is
// known that needs less. A plan or known order costs about as much as a trial schedule, or as three if it is fast.
#pragma once

#include "schedule/overlap/arrange.h"

#include <optional>

namespace ccgraph::overlap {

class TrialRecord;

struct SearchOptions {
  /// bytes that the program may need at its peak
  int64_t budget = unlimited;
  /// Maximum number of trial schedules under one limit; a large program gets fewer (affordableWalks()).
  unsigned maxWalks = 16;
  /// states a level of a beam over small programs; 0: none
  size_t beamWidth = 0;
  /// Bytes of which the memory limits are parts. Empty: the peak of the program.
  std::optional<int64_t> referencePeak = std::nullopt;
  /// what other schedulers chose
  llvm::ArrayRef<Preferences> known = {};
  /// threads that improve schedules; the result does not depend on it
  unsigned threads = 1;
};

/// Returns how many of at most `most` trial schedules a program of this many steps gets under one limit: those that
/// visit 1.8 million steps in total, so 50 for 36,000 steps; but 16 for any program.
[[nodiscard]] unsigned affordableWalks(size_t steps, unsigned most);

/// Returns options with the same result for this program: the number of trial schedules that it gets, and no beam if it
/// is too large for one.
[[nodiscard]] SearchOptions effectiveOptions(const Problem &problem, SearchOptions options);

/// Returns the fastest schedule within the budget; if none was found, the one of the lowest peak. The program's own
/// order wins a tie, and wins against any schedule over the budget without a lower peak.
[[nodiscard]] Schedule search(const Problem &problem, const SearchOptions &options);
/// The same; computes no trial schedule that is recorded, and records the others. The record must be of this problem.
[[nodiscard]] Schedule search(const Problem &problem, const SearchOptions &options, TrialRecord &record);

/// What a search with this budget finds.
struct BudgetResult {
  int64_t budget = 0;
  Schedule schedule;
  /// its waits are as late as the budget allows; false: as some smaller limit allows
  bool isDelayed = false;
};
/// Returns the results of searches with each of the memory limits of full effort below the budget, in ascending order,
/// and that of the budget itself. One search visits all these limits, so its cost is that of search(). Limits that no
/// known order meets are left out.
[[nodiscard]] std::vector<BudgetResult> searchByBudget(const Problem &problem, const SearchOptions &options,
                                                       TrialRecord &record);

} // namespace ccgraph::overlap
