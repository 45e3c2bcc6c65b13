// Arena: places blocks with limited lifetimes in one range of memory, so that blocks that are live together do not
// overlap.
//
// This is the dynamic storage allocation problem, which is NP-hard (Garey and Johnson, 1979, SR2). Several heuristics
// are tried, and the smallest result is used:
// - Best fit in the order in which blocks begin, like an allocator that reuses its gaps.
// - The largest block first, each in the smallest gap that is free for its whole life (as in the planners of XLA and
//   TFLite).
// - Blocks that are live at the peak first, ordered by end or by bytes x moments, each in the lowest gap, since a tight
//   peak leaves room for the others.
// - If all of these leave more than a 20th unused, the order by bytes x moments is improved until less is unused: a
//   block that does not fit moves forward, and the placement starts again.
//
// Example: a is 4 bytes live at [0, 2], b 4 bytes at [1, 3], c 8 bytes at [3, 4]. The peak is 12, at 3, where b and c
// are live. a and b lie side by side, and c fits no gap below 8 bytes: [a b] = 0..8, c = 8..16. With b first, b = 8..12
// is not better.
//
// A pure function: the same blocks give the same offsets. Ownership: plain values. Failure: none; sizes saturate.
// Cost: best fit O(n log n). An order O(n^2), some 10 ms for 5,000 blocks; orders are skipped above 16,384 blocks, and
// once less than a 128th, or no more than one alignment, is unused. Improving an order takes some 30 ms.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace ccgraph {

/// Bytes that are needed from one moment to another, both included. A block of 0 bytes lies at 0.
struct ArenaBlock {
  int64_t bytes = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct ArenaPlacement {
  /// by block; multiples of the alignment
  std::vector<int64_t> offsets;
  /// of the whole arena
  int64_t bytes = 0;
};

/// `alignment` is a power of two.
[[nodiscard]] ArenaPlacement placeBlocks(llvm::ArrayRef<ArenaBlock> blocks, int64_t alignment);

/// Returns the maximum number of bytes that are live at one moment: a lower bound of any placement.
[[nodiscard]] int64_t mostLiveBytes(llvm::ArrayRef<ArenaBlock> blocks);

} // namespace ccgraph
