// MemorySnapshot: the state and the recent events of PyTorch's caching allocators, one for each device.
//
// A segment is memory that the allocator has from the driver; a block is a piece of a segment. A tensor requests bytes,
// and its block may be larger. The events are the last ones before the snapshot, in order; memory that was allocated
// before the first of them has no event.
//
// Ownership: owns its texts. Failure: none; a reader fills it (ccgraph/frontend/memory_snapshot_file.h). Cost: about 60
// bytes a block and 40 an event.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ccgraph {

enum class BlockState : uint8_t {
  Allocated,    ///< a tensor uses it
  AwaitingFree, ///< no tensor uses it, but another stream may
  Inactive,     ///< free for reuse
};

/// Index of no text in AllocatorSnapshot::places.
inline constexpr uint32_t noAllocationPlace = 0xFFFFFFFF;

struct MemoryBlock {
  int64_t address = 0;
  int64_t bytes = 0;
  int64_t requested = 0; ///< at most `bytes`; 0 if it is inactive
  BlockState state = BlockState::Inactive;
  uint32_t place = noAllocationPlace; ///< where it was allocated
};

struct MemorySegment {
  int64_t address = 0;
  int64_t bytes = 0;
  std::vector<MemoryBlock> blocks; ///< by address
};

enum class AllocatorAction : uint8_t {
  Allocate,      ///< a block, with the requested bytes
  RequestFree,   ///< of a block: no tensor uses it any more
  CompleteFree,  ///< of a block: it can be reused
  AddSegment,    ///< or a mapped part of one
  RemoveSegment, ///< or an unmapped part of one
};

struct AllocatorEvent {
  AllocatorAction action = AllocatorAction::Allocate;
  int64_t address = 0;
  int64_t bytes = 0;
  uint32_t place = noAllocationPlace; ///< of an allocation
};

/// The allocator of one device.
struct AllocatorSnapshot {
  int64_t device = 0;
  std::vector<MemorySegment> segments;
  std::vector<AllocatorEvent> events; ///< in the order of time
  std::vector<std::string> places;    ///< "train.py:12 in step"
};

struct MemorySnapshot {
  std::string origin;                     ///< path
  std::vector<AllocatorSnapshot> devices; ///< those with a segment or an event, ascending
};

} // namespace ccgraph
