// MemoryLimit: how many bytes the tensors of a run may hold together.
//
// Sizes come from files, so a step may ask for more memory than there is, or for more than 64 bits count. A tensor that would go
// over the limit throws OutOfMemory before anything is allocated; whoever set the limit catches it, so that none leaves this folder.
//
// Ownership: limits nest; the last one made holds on its thread as long as it lives, and counts what is made meanwhile. Without one
// there is no limit but that sizes are countable. Cost: one addition a storage.
#pragma once

#include <cstdint>

namespace ccgraph::runtime {

struct OutOfMemory {
  /// bytes that were asked for; largestBytes for any number above
  int64_t asked = 0;
};

inline constexpr int64_t largestBytes = INT64_MAX / 8;

class MemoryLimit {
public:
  explicit MemoryLimit(int64_t bytes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit &) = delete;
  MemoryLimit &operator=(const MemoryLimit &) = delete;

  /// Throws OutOfMemory where these bytes are more than the thread's limit leaves.
  static void take(int64_t bytes);
  static void give(int64_t bytes);
  /// Throws where a tensor of these bytes could never be held: a window may be larger than its storage.
  static void check(int64_t bytes);

private:
  int64_t before_;
};

} // namespace ccgraph::runtime
