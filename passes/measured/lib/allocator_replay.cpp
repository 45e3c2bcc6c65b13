#include "allocator_replay.h"

#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph::measured {
namespace {

class AllocatorReplay {
public:
  explicit AllocatorReplay(const AllocatorSnapshot &device) : device_(device) { rewind(); }

  /// Replays the events until the state of the peak.
  llvm::Expected<AllocatorState> stateAfter(size_t events) {
    while (state_.events != events)
      if (llvm::Error error = apply(device_.events[state_.events++]))
        return error;
    return std::move(state_);
  }

  /// Returns the first number of events after which most bytes are requested.
  llvm::Expected<size_t> findPeak() {
    size_t peak = 0;
    int64_t most = state_.requested;
    for (const AllocatorEvent &event : device_.events) {
      ++state_.events;
      if (llvm::Error error = apply(event))
        return error;
      if (state_.requested > most)
        most = state_.requested, peak = state_.events;
    }
    return peak;
  }

private:
  /// Finds the state before the first event. A block that is live in the snapshot, or freed by an event, and that no
  /// earlier event allocates, was live then.
  void rewind() {
    llvm::DenseSet<int64_t> seen;
    state_.segments = 0;
    for (const MemorySegment &segment : device_.segments)
      state_.segments += segment.bytes;
    for (const AllocatorEvent &event : device_.events) {
      if (event.action == AllocatorAction::AddSegment)
        state_.segments -= event.bytes;
      else if (event.action == AllocatorAction::RemoveSegment)
        state_.segments += event.bytes;
      else if (seen.insert(event.address).second && event.action != AllocatorAction::Allocate)
        addLive(event.address, {event.bytes, roundedToBlock(event.bytes), noAllocationPlace,
                                event.action == AllocatorAction::CompleteFree, true});
    }
    for (const MemorySegment &segment : device_.segments)
      for (const MemoryBlock &block : segment.blocks)
        if (block.state != BlockState::Inactive) {
          final_[block.address] = &block;
          if (!seen.contains(block.address))
            addLive(block.address,
                    {block.requested, block.bytes, block.place, block.state == BlockState::AwaitingFree, true});
        }
    noteLast();
  }

  void addLive(int64_t address, LiveBlock block) {
    state_.live[address] = block;
    state_.requested += block.requested;
  }

  /// Notes the allocations of blocks that are live in the snapshot.
  void noteLast() {
    for (size_t i = 0; i != device_.events.size(); ++i)
      if (device_.events[i].action == AllocatorAction::Allocate)
        last_[device_.events[i].address] = i + 1;
  }

  llvm::Error apply(const AllocatorEvent &event) {
    auto live = state_.live.find(event.address);
    switch (event.action) {
    case AllocatorAction::Allocate:
      if (live != state_.live.end())
        return contradiction("allocates", "live");
      addLive(event.address, {event.bytes, blockBytes(event), event.place, false, false});
      return llvm::Error::success();
    case AllocatorAction::RequestFree:
      if (live == state_.live.end() || live->second.isAwaitingFree)
        return contradiction("frees", "free");
      live->second.isAwaitingFree = true;
      return llvm::Error::success();
    case AllocatorAction::CompleteFree:
      if (live == state_.live.end())
        return contradiction("frees", "free");
      state_.requested -= live->second.requested;
      state_.live.erase(live);
      return llvm::Error::success();
    case AllocatorAction::AddSegment:
      state_.segments += event.bytes;
      return llvm::Error::success();
    case AllocatorAction::RemoveSegment:
      state_.segments -= event.bytes;
      return llvm::Error::success();
    }
    llvm_unreachable("no such action");
  }

  /// The snapshot states the bytes of a block that is still live.
  [[nodiscard]] int64_t blockBytes(const AllocatorEvent &event) const {
    auto block = final_.find(event.address);
    const bool isLast = last_.at(event.address) == state_.events;
    return isLast && block != final_.end() ? block->second->bytes : roundedToBlock(event.bytes);
  }

  [[nodiscard]] llvm::Error contradiction(const char *does, const char *state) const {
    return makeError(diagnose("measured.memory",
                              "event " + std::to_string(state_.events) + " of device " +
                                  std::to_string(device_.device) + " " + does + " memory that is " + state +
                                  " already, so events are missing",
                              "record all actions: _record_memory_history() without skip_actions"));
  }

  const AllocatorSnapshot &device_;
  AllocatorState state_;
  std::map<int64_t, const MemoryBlock *> final_; ///< live in the snapshot, by address
  std::map<int64_t, size_t> last_;               ///< number of the last allocation of an address, from 1
};

} // namespace

int64_t roundedToBlock(int64_t bytes) {
  constexpr int64_t smallest = 512;
  return std::max(smallest, (bytes + smallest - 1) / smallest * smallest);
}

llvm::Expected<AllocatorState> peakOf(const AllocatorSnapshot &device) {
  llvm::Expected<size_t> peak = AllocatorReplay(device).findPeak();
  if (!peak)
    return peak.takeError();
  return AllocatorReplay(device).stateAfter(*peak);
}

} // namespace ccgraph::measured
