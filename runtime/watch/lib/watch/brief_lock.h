// BriefLock: a lock that is nearly always free, and never held for long.
//
// Who runs a plan takes it several times a step, and nobody else but who takes a record wants it. So to take it is one
// instruction, and to wait for it is to look again. For std::lock_guard.
#pragma once

#include <atomic>
#include <thread>

namespace ccgraph::runtime {

class BriefLock {
public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire))
      std::this_thread::yield();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

private:
  std::atomic<bool> taken_ = false;
};

} // namespace ccgraph::runtime
