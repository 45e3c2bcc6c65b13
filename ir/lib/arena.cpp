#include "ccgraph/ir/arena.h"

#include "ccgraph/ir/dims.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace ccgraph {
namespace {

/// Above this many blocks, largest first takes longer than what it saves is worth.
constexpr size_t mostForLargestFirst = 8192;

int64_t alignedUp(int64_t bytes, int64_t alignment) {
  return saturatingMultiply(saturatingAdd(bytes, alignment - 1) / alignment, alignment);
}

/// Free stretches of an arena that grows at its end, found by size and joined with their neighbours.
class Gaps {
public:
  /// The smallest gap that holds it, at its beginning; else the end, where the last gap, if it reaches the end, is used too.
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

/// As an allocator would: blocks come in the order in which they begin, and go when they end.
ArenaPlacement bestFit(llvm::ArrayRef<ArenaBlock> blocks, int64_t alignment) {
  ArenaPlacement placement{std::vector<int64_t>(blocks.size()), 0};
  auto begins = sortedBy(blocks.size(), [&](uint32_t a, uint32_t b) { return blocks[a].begin < blocks[b].begin; });
  auto ends = sortedBy(blocks.size(), [&](uint32_t a, uint32_t b) { return blocks[a].end < blocks[b].end; });
  Gaps gaps;
  size_t gone = 0;
  for (uint32_t block : begins) {
    for (; gone < ends.size() && blocks[ends[gone]].end < blocks[block].begin; ++gone)
      if (int64_t bytes = alignedUp(blocks[ends[gone]].bytes, alignment))
        gaps.give(placement.offsets[ends[gone]], bytes);
    if (int64_t bytes = alignedUp(blocks[block].bytes, alignment))
      placement.offsets[block] = gaps.take(bytes);
  }
  placement.bytes = gaps.end();
  return placement;
}

bool liveTogether(const ArenaBlock &a, const ArenaBlock &b) { return a.begin <= b.end && b.begin <= a.end; }

/// What largest first leaves open.
struct Preference {
  /// of blocks of one size: who lives longest, else who stands first
  bool longestLife = false;
  /// of gaps: the lowest, else the smallest
  bool lowestGap = false;
};

std::vector<uint32_t> bySize(llvm::ArrayRef<ArenaBlock> blocks, bool longestLife) {
  return sortedBy(blocks.size(), [&](uint32_t a, uint32_t b) {
    if (blocks[a].bytes != blocks[b].bytes || !longestLife)
      return blocks[a].bytes > blocks[b].bytes;
    return blocks[a].end - blocks[a].begin > blocks[b].end - blocks[b].begin;
  });
}

/// Each block in a gap that those placed before it leave free for its whole life. Given up where it takes `most` bytes.
ArenaPlacement largestFirst(llvm::ArrayRef<ArenaBlock> blocks, int64_t alignment, Preference preference, int64_t most) {
  ArenaPlacement placement{std::vector<int64_t>(blocks.size()), 0};
  auto order = bySize(blocks, preference.longestLife);
  std::vector<uint32_t> placed; // by place
  for (uint32_t block : order) {
    int64_t bytes = alignedUp(blocks[block].bytes, alignment);
    if (bytes == 0)
      continue;
    int64_t end = 0, best = -1, bestGap = 0;
    for (uint32_t other : placed) {
      if (!liveTogether(blocks[other], blocks[block]))
        continue;
      int64_t gap = placement.offsets[other] - end;
      if (gap >= bytes && (best < 0 || (!preference.lowestGap && gap < bestGap))) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, placement.offsets[other] + alignedUp(blocks[other].bytes, alignment));
    }
    placement.offsets[block] = best < 0 ? end : best;
    placement.bytes = std::max(placement.bytes, saturatingAdd(placement.offsets[block], bytes));
    if (placement.bytes >= most)
      return placement;
    placed.insert(
        llvm::upper_bound(placed, block,
                          [&](uint32_t a, uint32_t b) { return placement.offsets[a] < placement.offsets[b]; }),
        block);
  }
  return placement;
}

/// Of any placement with this alignment.
int64_t leastBytes(llvm::ArrayRef<ArenaBlock> blocks, int64_t alignment) {
  std::vector<ArenaBlock> aligned = blocks.vec();
  for (ArenaBlock &block : aligned)
    block.bytes = alignedUp(block.bytes, alignment);
  return mostLiveBytes(aligned);
}

} // namespace

ArenaPlacement placeBlocks(llvm::ArrayRef<ArenaBlock> blocks, int64_t alignment) {
  ArenaPlacement best = bestFit(blocks, alignment);
  if (blocks.size() > mostForLargestFirst)
    return best;
  const int64_t least = leastBytes(blocks, alignment);
  for (Preference preference : {Preference{}, {false, true}, {true, true}, {true, false}}) {
    if (best.bytes == least)
      return best;
    if (ArenaPlacement other = largestFirst(blocks, alignment, preference, best.bytes); other.bytes < best.bytes)
      best = std::move(other);
  }
  return best;
}

int64_t mostLiveBytes(llvm::ArrayRef<ArenaBlock> blocks) {
  std::map<uint32_t, int64_t> changes;
  for (const ArenaBlock &block : blocks) {
    changes[block.begin] = saturatingAdd(changes[block.begin], block.bytes);
    changes[block.end + 1] = saturatingAdd(changes[block.end + 1], -block.bytes);
  }
  int64_t live = 0, most = 0;
  for (auto [moment, change] : changes) {
    live = saturatingAdd(live, change);
    most = std::max(most, live);
  }
  return most;
}

} // namespace ccgraph
