#include "schedule/overlap/memory_plan.h"

#include <algorithm>

namespace ccgraph::overlap {

MemoryPlan::MemoryPlan(const Tasks &tasks, const LateCurve &late)
    : tasks_(tasks), late_(late), curve_(late.during), reservedUntil_(tasks.size()) {}

void MemoryPlan::reach(uint32_t task) {
  at_ = task;
  reserved_ -= reservedUntil_[task];
  own_ = 0;
}

int64_t MemoryPlan::unplanned(int64_t alive) const {
  int64_t planned = (at_ == 0 ? alive : late_.after[at_ - 1]) + reserved_ + own_;
  return std::max<int64_t>(0, alive - planned);
}

int64_t MemoryPlan::largestUntil(uint32_t task) const { return curve_.largest(at_, std::max(task, at_ + 1)); }

void MemoryPlan::reserve(uint32_t task, uint32_t until) {
  int64_t bytes = tasks_.allocates(task);
  if (until <= at_) {
    own_ += bytes;
    return;
  }
  curve_.add(at_, until, bytes);
  reserved_ += bytes;
  reservedUntil_[until] += bytes;
}

} // namespace ccgraph::overlap
