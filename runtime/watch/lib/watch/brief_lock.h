// BriefLock: a spin lock that is nearly always free, and never held for long.
//
// The thread that runs a plan takes it several times a step, and only the reader of a record competes for it. So
// locking is one instruction, and waiting is polling: a holder that runs is gone before a thread has yielded its core.
// For std::lock_guard.
#pragma once

#include <atomic>
#include <thread>

namespace ccgraph::runtime {

class BriefLock {
public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire))
      waitUntilFree();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

private:
  void waitUntilFree() {
    constexpr int readsBetweenYields = 64;
    for (int reads = 1; taken_.load(std::memory_order_relaxed); ++reads)
      if (reads % readsBetweenYields == 0)
        std::this_thread::yield();
  }

  std::atomic<bool> taken_ = false;
};

} // namespace ccgraph::runtime
