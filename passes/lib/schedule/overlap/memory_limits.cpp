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
constexpr int64_t full[] = {800, 900, 950, 1000, 1050, 1100, 1250, 1500, 2000, 2600};

/// Returns `part` thousandths of the bytes; the largest number if 64 bits do not hold the result.
int64_t partOf(int64_t bytes, int64_t part) {
  return saturatingAdd(saturatingMultiply(bytes / whole, part), bytes % whole * part / whole);
}

/// Returns the parts of the peak as limits, and `least`; ascending and each once.
std::vector<MemoryLimit> limitsOf(KnownPeaks peaks) {
  std::vector<MemoryLimit> limits = {{peaks.least, Effort::Brief}, {unlimited, Effort::Full}};
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

/// Returns true if some order may fit the limit: one is known, or the effort is large enough to find one.
bool mayFit(const MemoryLimit &limit, KnownPeaks peaks) {
  return limit.bytes >= (limit.effort == Effort::Full ? peaks.floor : peaks.least);
}

} // namespace

std::vector<int64_t> fullLimits(int64_t programPeak, int64_t budget) {
  std::vector<int64_t> limits;
  for (int64_t part : full)
    if (const int64_t bytes = std::min(partOf(programPeak, part), unlimited); bytes < budget)
      limits.push_back(bytes);
  return limits;
}

std::vector<MemoryLimit> memoryLimits(KnownPeaks peaks, int64_t budget) {
  budget = std::min(budget, unlimited);
  std::vector<MemoryLimit> limits = limitsOf(peaks);
  llvm::erase_if(limits, [&](const MemoryLimit &limit) { return !mayFit(limit, peaks); });
  auto last = llvm::find_if(limits, [&](const MemoryLimit &limit) { return limit.bytes >= budget; });
  if (budget < peaks.least) {
    limits.erase(last, limits.end());
    limits.push_back({budget, Effort::Full});
    return limits;
  }
  auto leader = llvm::find_if(limits, [](const MemoryLimit &limit) { return limit.effort == Effort::Full; });
  limits.erase(std::next(std::max(last, leader)), limits.end());
  std::rotate(limits.begin(), leader, std::next(leader));
  return limits;
}

} // namespace ccgraph::overlap
