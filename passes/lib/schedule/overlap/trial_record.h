// TrialRecord: the times and peaks of the trial schedules of one program.
//
// A search repeats trial schedules: coordinate descent returns to a policy that it left, a second search with fewer
// trial schedules begins like the first one, and a limit that no decision depends on gives the schedule of another
// limit. A trial schedule reports the range of budgets for which it is the same (BudgetRange), so the record has the
// result for the whole range. The record has one order, that of the last limit's best trial schedule, because many
// limits have the same one. The orders of all would need much memory, so another best one is computed again.
//
// Ownership: plain values. Failure: none. Cost: linear in the ranges of one policy, which are few.
#pragma once

#include "schedule/overlap/walk.h"

#include <deque>
#include <map>
#include <optional>
#include <tuple>

namespace ccgraph::overlap {

/// The start of a trial schedule, by its number, and its policy.
struct Attempt {
  size_t base = 0;
  Policy policy;
};

/// The time and the peak of a trial schedule.
struct TrialResult {
  int64_t picoseconds = 0;
  int64_t peakBytes = 0;
};

class TrialRecord {
public:
  /// Returns the result of an attempt that is recorded for this budget.
  [[nodiscard]] std::optional<TrialResult> find(const Attempt &attempt) const;
  /// Records the result of an attempt for all these budgets.
  void add(const Attempt &attempt, const BudgetRange &budgets, const TrialResult &result);
  /// Returns the schedule of a recorded attempt if it was the last one that keep() got; else null.
  [[nodiscard]] const Schedule *kept(const Attempt &attempt) const;
  /// Keeps the schedule of a recorded attempt.
  void keep(const Attempt &attempt, const Schedule &schedule);

private:
  /// base, prefetchBytes, lastingBytes, lead, keepBack, lastingFirst
  using Key = std::tuple<size_t, int64_t, int64_t, int64_t, int64_t, bool>;
  struct Recorded {
    BudgetRange budgets;
    TrialResult result;
  };
  [[nodiscard]] static Key keyOf(const Attempt &attempt);
  [[nodiscard]] const Recorded *recorded(const Attempt &attempt) const;

  std::map<Key, std::deque<Recorded>> results_; ///< an entry stays at its address
  const Recorded *keptFor_ = nullptr;
  Schedule kept_;
};

} // namespace ccgraph::overlap
