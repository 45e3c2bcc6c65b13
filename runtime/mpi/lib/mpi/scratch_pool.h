// ScratchPool: memory for values that collectives have received and not reduced yet.
//
// Later calls reuse freed memory, so in steady state nothing is allocated.
//
// Ownership: the pool owns the free memory. Failure: std::bad_alloc (memory_limit.h). Cost: linear in the free blocks.
#pragma once

#include "engine/arena.h"

#include <vector>

namespace ccgraph::runtime {

class ScratchPool {
public:
  /// Returns at least this many bytes: the smallest free block that is large enough, else a new one.
  [[nodiscard]] Arena take(int64_t bytes) {
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it)
      if (it->size() >= bytes && (best == free_.end() || it->size() < best->size()))
        best = it;
    if (best == free_.end())
      return {bytes, arenaAlignment};
    Arena found = std::move(*best);
    free_.erase(best);
    return found;
  }
  void give(Arena stretch) { free_.push_back(std::move(stretch)); }

private:
  static constexpr int64_t arenaAlignment = 4096;
  std::vector<Arena> free_;
};

} // namespace ccgraph::runtime
