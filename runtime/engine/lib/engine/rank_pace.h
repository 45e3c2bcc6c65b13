// RankPace: the times at which the steps of one rank begin and end with simulated durations (pace.h).
//
// Times are picoseconds since the run began on this rank. The rank loop reports its actions here, and waits for the end
// times that are computed here.
//
// Ownership: borrows the plan. Failure: none. One thread at a time. Cost: O(1) and the waits of a step.
#pragma once

#include "ccgraph/ir/plan.h"
#include "ccgraph/runtime/pace.h"

namespace ccgraph::runtime {

class RankPace {
public:
  /// `times`: by step.
  RankPace(const Plan &plan, llvm::ArrayRef<int64_t> times, std::function<std::unique_ptr<PaceClock>()> clock)
      : plan_(&plan), times_(times), makeClock_(std::move(clock)) {}

  /// A run begins, now.
  void begin();
  /// The host issues the step.
  void issue(size_t step) { issued_[step] = host_; }
  [[nodiscard]] int64_t issuedAt(size_t step) const { return issued_[step]; }
  /// Returns the time at which this rank is ready for the step: its stream has reached it and its events are recorded.
  [[nodiscard]] int64_t readyAt(size_t step) const;
  /// The step begins.
  void start(size_t step, int64_t begin) { ends_[step] = begin + times_[step]; }
  /// Its time has passed.
  [[nodiscard]] bool hasPassed(size_t step) const;
  /// The step has ended.
  void end(size_t step);

  /// The first whole nanosecond that is not before this time.
  [[nodiscard]] static std::chrono::nanoseconds momentOf(int64_t time);

  /// The rank does nothing before the end of this step; it comes so much later.
  [[nodiscard]] std::chrono::nanoseconds idleUntilEnd(size_t step) const;
  /// The end times by step.
  [[nodiscard]] const std::vector<int64_t> &ends() const { return ends_; }

private:
  const Plan *plan_;
  std::vector<int64_t> times_;
  std::function<std::unique_ptr<PaceClock>()> makeClock_;
  std::unique_ptr<PaceClock> clock_;
  /// the end of the steps that the host itself has run
  int64_t host_ = 0;
  /// by step
  std::vector<int64_t> issued_;
  std::vector<int64_t> ends_;
  /// by stream: when it is free; by event: when it is recorded
  std::vector<int64_t> free_;
  std::vector<int64_t> recorded_;
};

} // namespace ccgraph::runtime
