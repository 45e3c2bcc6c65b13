// AllocatorReplay: which blocks of a device are live after each event of its allocator.
//
// Ownership: refers to the snapshot. Failure: events that contradict each other. Cost: linear in blocks and events.
#pragma once

#include "ccgraph/ir/memory_snapshot.h"

#include "llvm/Support/Error.h"

#include <map>
#include <optional>

namespace ccgraph::measured {

struct LiveBlock {
  int64_t requested = 0;
  int64_t bytes = 0; ///< of the block, as far as it is known
  uint32_t place = noAllocationPlace;
  bool isAwaitingFree = false;
  bool isBeforeRecord = false; ///< allocated before the first event
};

/// The state after some of the events.
struct AllocatorState {
  size_t events = 0;
  int64_t segments = 0;              ///< bytes
  int64_t requested = 0;             ///< bytes of all live blocks
  std::map<int64_t, LiveBlock> live; ///< by address
};

/// Returns the first state with most requested bytes.
[[nodiscard]] llvm::Expected<AllocatorState> peakOf(const AllocatorSnapshot &device);

/// Returns the bytes of the smallest block of PyTorch's caching allocator that holds as many bytes.
[[nodiscard]] int64_t roundedToBlock(int64_t bytes);

} // namespace ccgraph::measured
