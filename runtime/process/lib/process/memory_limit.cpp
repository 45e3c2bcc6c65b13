#include "process/memory_limit.h"

#include "process/thread_sanitizer.h"

#include <algorithm>

namespace ccgraph::runtime {
namespace {

// Kernels make tensors without access to the run. So the account of the run is found through the thread that works for
// it. Each storage keeps the account to which it was charged, to credit the same one when it is freed.
std::shared_ptr<MemoryAccount> &inForce() {
  // An account belongs to a run; the thread only refers to the account of its current run.
  thread_local std::shared_ptr<MemoryAccount> account = std::make_shared<MemoryAccount>(largestBytes);
  return account;
}

OutOfMemory outOfMemory(int64_t bytes) { return OutOfMemory(bytes < 0 ? largestBytes : std::min(bytes, largestBytes)); }

} // namespace

MemoryAccount::~MemoryAccount() { HiddenCount::awaitUses(this); }

void MemoryAccount::take(int64_t bytes) {
  if (bytes < 0 || bytes > most_)
    throw outOfMemory(bytes);
  // Two threads may request the last bytes concurrently, so bytes are added first and subtracted again where they are
  // too many.
  if (held_.fetch_add(bytes, std::memory_order_relaxed) <= most_ - bytes)
    return;
  give(bytes);
  throw outOfMemory(bytes);
}

void CountedBytes::take(int64_t bytes) { inForce()->take(bytes); }
void CountedBytes::give(int64_t bytes) { inForce()->give(bytes); }

MemoryLimit::MemoryLimit(int64_t bytes) : before_(inForce()) {
  inForce() = std::make_shared<MemoryAccount>(std::clamp<int64_t>(bytes, 0, largestBytes));
}
MemoryLimit::MemoryLimit(std::shared_ptr<MemoryAccount> account)
    : before_(std::exchange(inForce(), std::move(account))) {}
MemoryLimit::~MemoryLimit() { inForce() = std::move(before_); }

const std::shared_ptr<MemoryAccount> &MemoryLimit::account() { return inForce(); }

void MemoryLimit::check(int64_t bytes) {
  if (bytes < 0 || bytes > inForce()->most())
    throw outOfMemory(bytes);
}

} // namespace ccgraph::runtime
