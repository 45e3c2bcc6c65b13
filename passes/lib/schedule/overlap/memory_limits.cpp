#include "schedule/overlap/memory_limits.h"

#include "ccgraph/ir/int_list.h"

namespace ccgraph::overlap {

namespace {

/// Thousandths of the peak of the program. The first percents are worth most, so later limits are further apart.
constexpr int64_t parts[] = {800, 900, 950, 1000, 1050, 1100, 1250, 1500, 2000, 2600};
constexpr int64_t whole = 1000;

/// Returns `part` thousandths of the bytes; the largest number if 64 bits do not hold the result.
int64_t partOf(int64_t bytes, int64_t part) {
  return saturatingAdd(saturatingMultiply(bytes / whole, part), bytes % whole * part / whole);
}

} // namespace

std::vector<int64_t> memoryLimits(KnownPeaks peaks, int64_t budget) {
  std::vector<int64_t> limits;
  for (int64_t part : parts)
    if (int64_t limit = partOf(peaks.program, part);
        limit >= peaks.floor && limit < budget && (limits.empty() || limit > limits.back()))
      limits.push_back(limit);
  limits.push_back(budget);
  return limits;
}

} // namespace ccgraph::overlap
