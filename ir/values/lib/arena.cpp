#include "ccgraph/ir/internal/arena.h"

#include "ccgraph/ir/int_list.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace ccgraph {
namespace {

/// Above this many blocks, an algorithm that examines each pair of them costs more time than its result is worth.
constexpr size_t mostInOrder = 16'384;
/// No further order is tried if the arena exceeds the minimum by less than this part of it, or by one alignment: blocks
/// that lie closer wait more for one another.
constexpr int64_t tight = 128;
/// The same limit for the improvement of an order, which takes many attempts.
constexpr int64_t loose = 20;
/// The maximum number of blocks placed by all these orders together.
constexpr size_t mostPromotions = 1'000'000;

int64_t alignedUp(int64_t bytes, int64_t alignment) {
  return saturatingMultiply(saturatingAdd(bytes, alignment - 1) / alignment, alignment);
}

/// Free ranges of an arena that grows at its end, found by size and merged with their neighbours.
class Gaps {
public:
  /// Returns the start of the smallest gap that is large enough; else the end of the arena, or the start of the last
  /// gap if it reaches the end.
  int64_t take(int64_t bytes) {
    auto fit = bySize_.lower_bound({bytes, -1});
    if (fit == bySize_.end())
      return grow(bytes);
    auto [size, at] = *fit;
    remove(at);
    if (size > bytes)
      add(at + bytes, size - bytes);
    return at;
  }

  void give(int64_t at, int64_t bytes) {
    auto after = byPlace_.lower_bound(at);
    if (after != byPlace_.end() && after->first == at + bytes) {
      bytes += after->second;
      remove(after->first);
    }
    auto before = byPlace_.lower_bound(at);
    if (before != byPlace_.begin() && (--before)->first + before->second == at) {
      at = before->first;
      bytes += before->second;
      remove(at);
    }
    add(at, bytes);
  }

  [[nodiscard]] int64_t end() const { return end_; }

private:
  int64_t grow(int64_t bytes) {
    int64_t at = end_;
    if (!byPlace_.empty() && byPlace_.rbegin()->first + byPlace_.rbegin()->second == end_) {
      at = byPlace_.rbegin()->first;
      remove(at);
    }
    end_ = saturatingAdd(at, bytes);
    return at;
  }
  void add(int64_t at, int64_t bytes) {
    byPlace_[at] = bytes;
    bySize_.insert({bytes, at});
  }
  void remove(int64_t at) {
    auto found = byPlace_.find(at);
    bySize_.erase({found->second, at});
    byPlace_.erase(found);
  }

  std::map<int64_t, int64_t> byPlace_;
  std::set<std::pair<int64_t, int64_t>> bySize_;
  int64_t end_ = 0;
};

std::vector<uint32_t> sortedBy(size_t count, llvm::function_ref<bool(uint32_t, uint32_t)> before) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

/// Places blocks like an allocator: blocks are allocated in the order in which they begin, and freed when they end.
ArenaPlacement bestFit(llvm::ArrayRef<ArenaBlock> blocks) {
  ArenaPlacement placement{std::vector<int64_t>(blocks.size()), 0};
  auto begins = sortedBy(blocks.size(), [&](uint32_t a, uint32_t b) { return blocks[a].begin < blocks[b].begin; });
  auto ends = sortedBy(blocks.size(), [&](uint32_t a, uint32_t b) { return blocks[a].end < blocks[b].end; });
  Gaps gaps;
  size_t gone = 0;
  for (uint32_t block : begins) {
    for (; gone < ends.size() && blocks[ends[gone]].end < blocks[block].begin; ++gone)
      if (blocks[ends[gone]].bytes)
        gaps.give(placement.offsets[ends[gone]], blocks[ends[gone]].bytes);
    if (blocks[block].bytes)
      placement.offsets[block] = gaps.take(blocks[block].bytes);
  }
  placement.bytes = gaps.end();
  return placement;
}

// --- One block after another, regardless of time --------------------------------------------------------------------

/// A placed block.
struct Placed {
  uint32_t begin;
  uint32_t end;
  int64_t from;
  int64_t to;
};

bool liveTogether(const Placed &a, const ArenaBlock &b) { return a.begin <= b.end && b.begin <= a.end; }

/// The choice among gaps that are large enough for a block and free for its whole life.
enum class Gap : uint8_t {
  /// keeps the larger gaps whole
  Smallest,
  Lowest,
};

/// Returns the place of the block: such a gap, else the end. `placed` is sorted by place.
int64_t placeFor(llvm::ArrayRef<Placed> placed, const ArenaBlock &block, Gap wanted) {
  int64_t end = 0, smallest = std::numeric_limits<int64_t>::max(), found = -1;
  for (const Placed &other : placed) {
    if (!liveTogether(other, block))
      continue;
    int64_t gap = other.from - end;
    if (gap >= block.bytes && gap < smallest) {
      if (wanted == Gap::Lowest)
        return end;
      found = end;
      smallest = gap;
    }
    end = std::max(end, other.to);
  }
  return found < 0 ? end : found;
}

/// Blocks placed in this order. If the arena would reach `most` bytes, the placement stops and `failed` is the position
/// of that block in the order.
struct InOrder {
  ArenaPlacement placement;
  std::optional<size_t> failed;
};

InOrder inOrder(llvm::ArrayRef<ArenaBlock> blocks, llvm::ArrayRef<uint32_t> order, Gap gap, int64_t most) {
  ArenaPlacement placement{std::vector<int64_t>(blocks.size()), 0};
  std::vector<Placed> placed; // by place
  placed.reserve(blocks.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const ArenaBlock &block = blocks[order[i]];
    if (block.bytes == 0)
      continue;
    int64_t from = placement.offsets[order[i]] = placeFor(placed, block, gap), to = saturatingAdd(from, block.bytes);
    placement.bytes = std::max(placement.bytes, to);
    if (placement.bytes >= most)
      return {std::move(placement), i};
    auto after = llvm::upper_bound(placed, from, [](int64_t place, const Placed &other) { return place < other.from; });
    placed.insert(after, {block.begin, block.end, from, to});
  }
  return {std::move(placement), std::nullopt};
}

/// Places blocks in this order. A block that does not fit below `most` moves to half its position for the next attempt.
/// Empty if no attempt succeeds.
std::optional<ArenaPlacement> promoting(llvm::ArrayRef<ArenaBlock> blocks, std::vector<uint32_t> order, int64_t most) {
  for (size_t round = 0; round * blocks.size() < mostPromotions; ++round) {
    InOrder tried = inOrder(blocks, order, Gap::Lowest, most);
    if (!tried.failed)
      return std::move(tried.placement);
    auto failed = order.begin() + static_cast<std::ptrdiff_t>(*tried.failed);
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(*tried.failed / 2), failed, failed + 1);
  }
  return std::nullopt;
}

/// The maximum number of bytes that are live at one moment, and the first such moment.
struct Peak {
  int64_t bytes = 0;
  uint32_t moment = 0;
};

Peak peakOf(llvm::ArrayRef<ArenaBlock> blocks) {
  std::vector<std::pair<uint32_t, int64_t>> changes;
  for (const ArenaBlock &block : blocks) {
    changes.emplace_back(block.begin, block.bytes);
    changes.emplace_back(block.end + 1, -block.bytes);
  }
  // At one moment, ends come before starts.
  llvm::sort(changes);
  Peak peak;
  int64_t live = 0;
  for (auto [moment, change] : changes) {
    live = saturatingAdd(live, change);
    if (live > peak.bytes)
      peak = {live, moment};
  }
  return peak;
}

/// The sort key of the blocks.
enum class Order : uint8_t {
  /// those live at the peak, by their end, latest first, so that blocks that end early lie above all that stay; then by
  /// size
  PeakByEnd,
  /// those live at the peak, then the others, both by bytes x moments
  PeakByArea,
  Size,
  /// by bytes x moments
  Area,
};

/// Returns the sort key; larger comes first.
std::pair<bool, int64_t> keyOf(const ArenaBlock &block, Order order, uint32_t peak) {
  bool atPeak = block.begin <= peak && peak <= block.end;
  int64_t area = saturatingMultiply(block.bytes, int64_t{block.end} - block.begin + 1);
  switch (order) {
  case Order::PeakByEnd:
    return {atPeak, atPeak ? block.end : block.bytes};
  case Order::PeakByArea:
    return {atPeak, area};
  case Order::Size:
    return {false, block.bytes};
  case Order::Area:
    return {false, area};
  }
  return {};
}

std::vector<uint32_t> orderOf(llvm::ArrayRef<ArenaBlock> blocks, Order order, uint32_t peak) {
  std::vector<std::pair<bool, int64_t>> keys;
  for (const ArenaBlock &block : blocks)
    keys.push_back(keyOf(block, order, peak));
  return sortedBy(blocks.size(), [&](uint32_t a, uint32_t b) { return keys[a] > keys[b]; });
}

std::vector<ArenaBlock> aligned(llvm::ArrayRef<ArenaBlock> blocks, int64_t alignment) {
  std::vector<ArenaBlock> result = blocks.vec();
  for (ArenaBlock &block : result)
    block.bytes = alignedUp(block.bytes, alignment);
  return result;
}

} // namespace

ArenaPlacement placeBlocks(llvm::ArrayRef<ArenaBlock> given, int64_t alignment) {
  std::vector<ArenaBlock> blocks = aligned(given, alignment);
  ArenaPlacement best = bestFit(blocks);
  if (blocks.size() > mostInOrder)
    return best;
  const Peak peak = peakOf(blocks);
  const int64_t near = std::max(peak.bytes / tight, alignment);
  for (Order order : {Order::Size, Order::PeakByEnd, Order::PeakByArea}) {
    if (best.bytes - near <= peak.bytes)
      return best;
    Gap gap = order == Order::Size ? Gap::Smallest : Gap::Lowest;
    InOrder other = inOrder(blocks, orderOf(blocks, order, peak.moment), gap, best.bytes);
    if (!other.failed)
      best = std::move(other.placement);
  }
  int64_t enough = peak.bytes + peak.bytes / loose;
  if (best.bytes <= enough)
    return best;
  return promoting(blocks, orderOf(blocks, Order::Area, peak.moment), enough).value_or(best);
}

int64_t mostLiveBytes(llvm::ArrayRef<ArenaBlock> blocks) { return peakOf(blocks).bytes; }

} // namespace ccgraph
