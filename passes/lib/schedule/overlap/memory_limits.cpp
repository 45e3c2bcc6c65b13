#include "schedule/overlap/memory_limits.h"

#include "ccgraph/ir/int_list.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::overlap {

namespace {

constexpr int64_t whole = 1000;

/// Limits from the end of the range before up to `last`, in thousandths of the peak of the program.
struct Range {
  int64_t last;
  int64_t step;
};
/// The first percents are worth most, so later limits are further apart.
constexpr int64_t first = 500;
constexpr Range ranges[] = {{800, 50}, {1000, 25}, {1100, 10}, {1500, 25}, {2000, 50}, {2600, 100}};
/// Parts that are searched with all trial schedules.
constexpr int64_t full[] = {900, 1000, 1050, 1100, 1250, 1500, 2000, 2600};

/// Returns `part` thousandths of the bytes; the largest number if 64 bits do not hold the result.
int64_t partOf(int64_t bytes, int64_t part) {
  return saturatingAdd(saturatingMultiply(bytes / whole, part), bytes % whole * part / whole);
}

/// Returns all limits of a program, ascending and each once.
std::vector<MemoryLimit> limitsOf(KnownPeaks peaks) {
  std::vector<MemoryLimit> limits = {{peaks.least, Effort::Full}, {unlimited, Effort::Full}};
  auto add = [&](int64_t part) {
    int64_t bytes = std::min(partOf(peaks.program, part), unlimited);
    limits.push_back({bytes, llvm::is_contained(full, part) ? Effort::Full : Effort::Brief});
  };
  int64_t part = first;
  add(part);
  for (Range range : ranges)
    while (part < range.last)
      add(part += range.step);
  llvm::sort(limits, [](const MemoryLimit &a, const MemoryLimit &b) {
    return std::make_pair(a.bytes, a.effort) < std::make_pair(b.bytes, b.effort);
  });
  auto same = [](const MemoryLimit &a, const MemoryLimit &b) { return a.bytes == b.bytes; };
  limits.erase(std::unique(limits.begin(), limits.end(), same), limits.end());
  return limits;
}

} // namespace

std::vector<MemoryLimit> memoryLimits(KnownPeaks peaks, int64_t budget) {
  std::vector<MemoryLimit> limits = limitsOf(peaks);
  llvm::erase_if(limits, [&](const MemoryLimit &limit) { return limit.bytes < peaks.floor; });
  auto reaches = [&](const MemoryLimit &limit) { return limit.bytes >= budget; };
  auto last = llvm::find_if(limits, reaches);
  if (budget < peaks.least) {
    limits.erase(last, limits.end());
    limits.push_back({budget, Effort::Full});
  } else if (last != limits.end())
    limits.erase(std::next(last), limits.end());
  return limits;
}

} // namespace ccgraph::overlap
