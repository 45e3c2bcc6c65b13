// MemoryPlan: how much the program is going to need, at each task that it has not come to yet.
//
// The plan is the late curve and what went before its time, prefetches above all: each adds its bytes
// from the task at which it went to the one at which the curve has it. Whatever else is alive now is *unplanned*, and is
// taken to stay.
//
// Ownership: refers to the curve and the tasks. Fails never. Cost: O(log n) a question or prefetch.
#pragma once

#include "schedule/overlap/memory_curve.h"
#include "schedule/overlap/tasks.h"

namespace ccgraph::overlap {

/// What a program needs where every transfer goes as late as it can. Bytes, by task.
struct LateCurve {
  /// most from the end of the task before to its own
  std::vector<int64_t> during;
  /// after it
  std::vector<int64_t> after;
};

class MemoryPlan {
public:
  MemoryPlan(const Tasks &tasks, const LateCurve &late);

  /// The program has come to this task, before it runs.
  void reach(uint32_t task);
  /// What is alive now and was not planned to be.
  [[nodiscard]] int64_t unplanned(int64_t alive) const;
  /// The most that is planned from here to before the task.
  [[nodiscard]] int64_t largestUntil(uint32_t task) const;
  /// What the task allocates is alive from now on, and not only from `until` on, as planned.
  void reserve(uint32_t task, uint32_t until);

private:
  const Tasks &tasks_;
  const LateCurve &late_;
  MemoryCurve curve_;
  uint32_t at_ = 0;
  /// of what went before its time, and by task what the curve has from there on
  int64_t reserved_ = 0;
  std::vector<int64_t> reservedUntil_;
  /// of what the task at hand made go for itself: the curve has it
  int64_t own_ = 0;
};

} // namespace ccgraph::overlap
