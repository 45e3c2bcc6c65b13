// Compares the memory of a measured step with the peak that a graph predicts, and states where they differ and why.
//
// The events of a device's allocator are replayed from the blocks that were live before the first event. The peak is
// the first event at which the bytes that tensors requested are largest. There, the memory of the segments is:
//
//   segments = predicted + more - less + rounding + unused
//
// `more` are live blocks without a value of the graph's own peak, `less` are values of that peak without a live block.
// Blocks and values are paired by equal bytes, since an allocator records no names; so of several equal sizes, the
// numbers are paired. `rounding` is what blocks are larger than requested: as the snapshot states for blocks that are
// live in it, else up to the next multiple of 512 bytes, the smallest block of PyTorch's caching allocator
// (c10/cuda/CUDACachingAllocator.cpp, kMinBlockSize). `unused` is the rest of the segments: free blocks that are kept,
// and what is too small to split off.
//
// Ownership: owns its texts. Failure: events that contradict each other: an address that is allocated twice, or freed
// although it is free. Cost: linear in blocks and events, and a sort.
#pragma once

#include "ccgraph/ir/memory_snapshot.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace ccgraph::measured {

/// A value that a graph holds.
struct HeldValue {
  std::string name;
  int64_t bytes = 0;
};

/// What a graph predicts.
struct PredictedMemory {
  int64_t peak = 0;              ///< bytes, the sum of `held`
  std::string at;                ///< the node of the peak
  std::vector<HeldValue> held;   ///< at the peak
  std::vector<int64_t> allSizes; ///< bytes of each storage of the graph
};

enum class MemoryReason : uint8_t {
  BeforeRecord,   ///< more: allocated before the first event, and no value of the graph has this size
  HeldLonger,     ///< more: the graph has values of this size, but holds fewer of them at its peak
  NotOfGraph,     ///< more: no value of the graph has this size
  AwaitingFree,   ///< more: no tensor uses it any more, but another stream may
  FreedEarlier,   ///< less: blocks of this size are allocated in the record, but are not live at the peak
  NeverAllocated, ///< less: no block of this size is allocated: fused into a kernel, or computed in place
};
/// "allocated before the record", "never allocated", ...
[[nodiscard]] llvm::StringRef memoryReasonText(MemoryReason reason);
/// Returns whether the measured memory is larger for this reason.
[[nodiscard]] bool isMore(MemoryReason reason);

struct MemoryDifference {
  MemoryReason reason = MemoryReason::NotOfGraph;
  int64_t bytes = 0; ///< of all blocks or values
  size_t count = 0;
  std::vector<std::string> examples; ///< the largest: places of blocks, names of values; at most three
};

struct MemoryComparison {
  int64_t device = 0;
  size_t event = 0; ///< the peak is after so many events
  size_t events = 0;
  int64_t segments = 0;
  int64_t requested = 0; ///< by all live blocks
  int64_t rounding = 0;
  int64_t unused = 0;
  int64_t predicted = 0;
  std::string predictedAt;
  std::vector<MemoryDifference> differences; ///< the largest first
};

[[nodiscard]] llvm::Expected<MemoryComparison> compareMemory(const AllocatorSnapshot &device,
                                                             const PredictedMemory &predicted);

} // namespace ccgraph::measured
