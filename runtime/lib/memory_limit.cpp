#include "memory_limit.h"

#include <algorithm>

namespace ccgraph::runtime {
namespace {

thread_local int64_t held = 0;
thread_local int64_t most = largestBytes;

} // namespace

MemoryLimit::MemoryLimit(int64_t bytes) : before_(most) { most = held + std::clamp<int64_t>(bytes, 0, largestBytes); }
MemoryLimit::~MemoryLimit() { most = before_; }

void MemoryLimit::take(int64_t bytes) {
  if (bytes < 0 || bytes > most - held)
    throw OutOfMemory{std::clamp<int64_t>(bytes, 0, largestBytes)};
  held += bytes;
}

void MemoryLimit::give(int64_t bytes) { held -= bytes; }

void MemoryLimit::check(int64_t bytes) {
  if (bytes < 0 || bytes > most)
    throw OutOfMemory{std::clamp<int64_t>(bytes, 0, largestBytes)};
}

} // namespace ccgraph::runtime
