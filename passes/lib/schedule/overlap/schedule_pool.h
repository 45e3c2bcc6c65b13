// SchedulePool: the schedules that may still be the answer, while the memory limit of a search grows to a budget.
//
// The search adds every schedule that it finds, those over the limit too. So the fastest schedule within a limit is never
// slower than the fastest one within a smaller limit. A schedule that cannot become an answer is dropped.
//
// Ownership: owns the schedules. Failure: none. Cost: quadratic in the schedules of the pool, of which there are few.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

class SchedulePool {
public:
  /// `budget`: what is asked for in the end. `most`: the largest limit. Bytes.
  SchedulePool(int64_t budget, int64_t most) : budget_(budget), most_(most) {}
  /// Bytes; no less than before. From now on nobody asks for less than this, or than the budget if that is less.
  void setLimit(int64_t bytes);
  /// `schedule` has its time and peak. A schedule that was added before wins a tie.
  void add(Schedule schedule);
  /// Null where no schedule fits so many bytes.
  [[nodiscard]] const Schedule *fastest(int64_t bytes) const;
  /// The lowest peak, and of several the fastest. A schedule was added.
  [[nodiscard]] const Schedule &smallest() const;

private:
  void dropUseless();
  [[nodiscard]] bool isUseless(size_t index) const;

  int64_t budget_;
  int64_t most_;
  /// the least that is asked for from now on
  int64_t least_ = 0;
  /// in the order in which they were added
  std::vector<Schedule> schedules_;
};

} // namespace ccgraph::overlap
