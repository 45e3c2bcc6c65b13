// OrderedTasks: tasks that may run on other threads, and whose results are taken in the order in which they were added.
//
// The caller takes results as soon as many tasks were added (isFull()), so few results wait at one time. With one
// thread, a task runs when its result is taken, on the thread of the caller.
//
// Ownership: owns the threads; the destructor waits for the tasks that run. What a task refers to must outlive it.
// Failure: none. Cost: one thread for each of the first tasks.
#pragma once

#include "llvm/Support/ThreadPool.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <optional>

namespace ccgraph::overlap {

/// Returns the number of threads that this process may run at once, at most 8. More would wait for the trial schedules,
/// which one thread computes.
[[nodiscard]] inline unsigned usefulThreads() {
  constexpr unsigned mostUseful = 8;
  return std::min(mostUseful, llvm::hardware_concurrency().compute_thread_count());
}

template <class Result>
class OrderedTasks {
public:
  explicit OrderedTasks(unsigned threads) : threads_(threads) {
    if (threads > 1)
      pool_.emplace(llvm::hardware_concurrency(threads));
  }
  /// Adds a task. It may wait for the results of tasks that were added before.
  std::shared_future<Result> add(std::function<Result()> task) {
    results_.push_back(pool_ ? pool_->async(std::move(task))
                             : std::async(std::launch::deferred, std::move(task)).share());
    return results_.back();
  }
  [[nodiscard]] bool empty() const { return results_.empty(); }
  /// Returns true if the next step is take(): enough tasks were added to occupy all threads.
  [[nodiscard]] bool isFull() const { return results_.size() > (pool_ ? 2 * threads_ : 0); }
  /// Returns the result of the task that was added first, and removes it. There must be a task.
  [[nodiscard]] Result take() {
    Result result = results_.front().get();
    results_.pop_front();
    return result;
  }

private:
  unsigned threads_;
  std::deque<std::shared_future<Result>> results_;
  std::optional<llvm::ThreadPool> pool_; ///< ends before the results are destroyed
};

} // namespace ccgraph::overlap
