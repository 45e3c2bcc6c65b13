#include "planner/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace ccgraph::planner {

llvm::Error sideBySide(size_t count, llvm::function_ref<llvm::Error(size_t)> task) {
  std::vector<std::optional<llvm::Error>> errors(count);
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < count; i = next++)
      errors[i].emplace(task(i));
  };
  // This thread works too.
  const size_t others = std::min<size_t>(count, std::max(1U, std::thread::hardware_concurrency())) - (count ? 1 : 0);
  std::vector<std::thread> threads;
  for (size_t i = 0; i != others; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  llvm::Error first = llvm::Error::success();
  for (std::optional<llvm::Error> &error : errors)
    if (first)
      llvm::consumeError(std::move(*error));
    else
      first = std::move(*error);
  return first;
}

} // namespace ccgraph::planner
