// MemoryPlan: the memory that the program is expected to need at each later task.
//
// The plan is the late curve plus early steps, mostly prefetches: each adds its bytes from the task at which it was
// issued to the task at which the curve has it. Other bytes that are live now are *unplanned*, and are assumed to stay
// live.
//
// Ownership: refers to the curve and the tasks. Failure: none. Cost: O(log n) a query or prefetch.
#pragma once

#include "schedule/overlap/memory_curve.h"
#include "schedule/overlap/tasks.h"

namespace ccgraph::overlap {

/// The memory of a program whose collectives are all issued as late as possible. Bytes, by task.
struct LateCurve {
  /// maximum from the end of the previous task to the end of this one
  std::vector<int64_t> during;
  /// after it
  std::vector<int64_t> after;
};

class MemoryPlan {
public:
  MemoryPlan(const Tasks &tasks, const LateCurve &late);

  /// Records that the program has reached this task, before it runs.
  void reach(uint32_t task);
  /// Returns the live bytes that were not planned.
  [[nodiscard]] int64_t unplanned(int64_t alive) const;
  /// Returns the maximum that is planned from here to before the task.
  [[nodiscard]] int64_t largestUntil(uint32_t task) const;
  /// Records that the task's allocation is live from now on, and not only from `until` on, as planned.
  void reserve(uint32_t task, uint32_t until);

private:
  const Tasks &tasks_;
  const LateCurve &late_;
  MemoryCurve curve_;
  uint32_t at_ = 0;
  /// bytes of early steps, and by task the bytes that the curve has from there on
  int64_t reserved_ = 0;
  std::vector<int64_t> reservedUntil_;
  /// bytes of steps issued early for the current task: the curve includes them
  int64_t own_ = 0;
};

} // namespace ccgraph::overlap
