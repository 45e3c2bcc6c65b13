#include "ccgraph/measured/memory.h"

#include "allocator_replay.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

namespace ccgraph::measured {
namespace {

constexpr size_t mostExamples = 3;

/// A block without a value, or a value without a block.
struct Unpaired {
  MemoryReason reason = MemoryReason::NotOfGraph;
  int64_t bytes = 0;
  std::string name;
};

class MemoryComparer {
public:
  MemoryComparer(const AllocatorSnapshot &device, const PredictedMemory &predicted, const AllocatorState &peak)
      : device_(device), predicted_(predicted), peak_(peak),
        sizes_(predicted.allSizes.begin(), predicted.allSizes.end()) {}

  MemoryComparison run() {
    MemoryComparison result;
    result.device = device_.device;
    result.event = peak_.events;
    result.events = device_.events.size();
    result.segments = peak_.segments;
    result.requested = peak_.requested;
    result.predicted = predicted_.peak;
    result.predictedAt = predicted_.at;
    int64_t blocks = 0;
    for (const auto &[address, block] : peak_.live)
      blocks += block.bytes;
    result.rounding = blocks - peak_.requested;
    result.unused = peak_.segments - blocks;
    pair();
    result.differences = differences();
    return result;
  }

private:
  /// Pairs live blocks with held values of equal bytes.
  void pair() {
    std::map<int64_t, std::vector<const HeldValue *>> values;
    for (const HeldValue &value : predicted_.held)
      values[value.bytes].push_back(&value);
    for (const auto &[address, block] : peak_.live) {
      auto own = values.find(block.requested);
      if (!block.isAwaitingFree && own != values.end() && !own->second.empty())
        own->second.pop_back();
      else
        unpaired_.push_back({reasonOf(block), block.requested, placeOf(block)});
    }
    const std::set<int64_t> allocated = allocatedSizes();
    for (const auto &[bytes, rest] : values)
      for (const HeldValue *value : rest)
        unpaired_.push_back(
            {allocated.count(bytes) ? MemoryReason::FreedEarlier : MemoryReason::NeverAllocated, bytes, value->name});
  }

  [[nodiscard]] MemoryReason reasonOf(const LiveBlock &block) const {
    if (block.isAwaitingFree)
      return MemoryReason::AwaitingFree;
    if (sizes_.count(block.requested))
      return MemoryReason::HeldLonger;
    return block.isBeforeRecord ? MemoryReason::BeforeRecord : MemoryReason::NotOfGraph;
  }

  [[nodiscard]] std::string placeOf(const LiveBlock &block) const {
    return block.place == noAllocationPlace ? "" : device_.places[block.place];
  }

  /// Returns the sizes that are allocated at any time.
  [[nodiscard]] std::set<int64_t> allocatedSizes() const {
    std::set<int64_t> found;
    for (const AllocatorEvent &event : device_.events)
      if (event.action == AllocatorAction::Allocate || event.action == AllocatorAction::RequestFree)
        found.insert(event.bytes);
    for (const MemorySegment &segment : device_.segments)
      for (const MemoryBlock &block : segment.blocks)
        if (block.state != BlockState::Inactive)
          found.insert(block.requested);
    return found;
  }

  std::vector<MemoryDifference> differences() {
    llvm::stable_sort(unpaired_, [](const Unpaired &a, const Unpaired &b) { return a.bytes > b.bytes; });
    std::map<MemoryReason, MemoryDifference> byReason;
    for (const Unpaired &it : unpaired_) {
      MemoryDifference &difference = byReason[it.reason];
      difference.reason = it.reason;
      difference.bytes += it.bytes;
      ++difference.count;
      if (!it.name.empty() && difference.examples.size() < mostExamples &&
          !llvm::is_contained(difference.examples, it.name))
        difference.examples.push_back(it.name);
    }
    std::vector<MemoryDifference> sorted;
    for (auto &[reason, difference] : byReason)
      if (difference.bytes > 0)
        sorted.push_back(std::move(difference));
    llvm::stable_sort(sorted, [](const MemoryDifference &a, const MemoryDifference &b) { return a.bytes > b.bytes; });
    return sorted;
  }

  const AllocatorSnapshot &device_;
  const PredictedMemory &predicted_;
  const AllocatorState &peak_;
  std::set<int64_t> sizes_; ///< of all values of the graph
  std::vector<Unpaired> unpaired_;
};

} // namespace

llvm::StringRef memoryReasonText(MemoryReason reason) {
  switch (reason) {
  case MemoryReason::BeforeRecord:
    return "allocated before the record, and of no size of this graph";
  case MemoryReason::HeldLonger:
    return "of sizes of this graph, which holds fewer of them at its peak";
  case MemoryReason::NotOfGraph:
    return "of no size of this graph";
  case MemoryReason::AwaitingFree:
    return "freed, but kept for another stream";
  case MemoryReason::FreedEarlier:
    return "freed before the peak, or allocated after it";
  case MemoryReason::NeverAllocated:
    return "never allocated: fused into a kernel, or computed in place";
  }
  llvm_unreachable("no such reason");
}

bool isMore(MemoryReason reason) {
  return reason != MemoryReason::FreedEarlier && reason != MemoryReason::NeverAllocated;
}

llvm::Expected<MemoryComparison> compareMemory(const AllocatorSnapshot &device, const PredictedMemory &predicted) {
  llvm::Expected<AllocatorState> peak = peakOf(device);
  if (!peak)
    return peak.takeError();
  return MemoryComparer(device, predicted, *peak).run();
}

} // namespace ccgraph::measured
