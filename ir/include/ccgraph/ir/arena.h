// Arena: places blocks that live for a time in one stretch of memory, so that those alive at once do not overlap.
//
// This is the dynamic storage allocation problem, which is NP-hard (Garey and Johnson, 1979, SR2). Heuristics are tried and the
// smallest result is taken: best fit in the order in which blocks begin, as an allocator would with the gaps that it has; then one
// block after another, each in a gap that is free for its whole life: the largest first, in the smallest gap (as XLA's and TFLite's
// planners do); and those that are alive at the peak first, by their ends or by bytes x moments, in the lowest gap, since a tight peak
// leaves the others room. Where all of these leave more than a 20th unused, the order by bytes x moments is changed until it leaves less: a
// block that does not fit moves forward, and all begins anew.
//
// Example: a is 4 bytes alive at [0, 2], b 4 bytes at [1, 3], c 8 bytes at [3, 4]. The peak is 12, at 3, where b and c live;
// a and b lie side by side, and c fits no gap below 8 bytes: [a b] = 0..8, c = 8..16. With b first, b = 8..12 is not better.
//
// A pure function: the same blocks give the same offsets. Ownership: plain values. Failure: none; sizes saturate. Cost: best
// fit O(n log n); an order O(n^2), some 10 ms for 5,000 blocks, and so left out above 16,384 blocks, and as soon as less than a 128th, or
// no more than one alignment, is unused; the changing of an order some 30 ms.
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

/// Most bytes that are alive at one moment; what no placement can be smaller than.
[[nodiscard]] int64_t mostLiveBytes(llvm::ArrayRef<ArenaBlock> blocks);

} // namespace ccgraph
