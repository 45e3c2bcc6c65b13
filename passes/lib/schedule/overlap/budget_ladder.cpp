#include "schedule/overlap/budget_ladder.h"

#include <algorithm>

namespace ccgraph::overlap {

namespace {

/// A limit in thousandths of the peak of the program.
struct Part {
  int64_t thousandths;
  bool isThorough = false;
};

/// Steps need most of the first percents; later limits are further apart.
constexpr Part parts[] = {{500},        {650},        {800},  {900},        {950, true},  {975},
                          {1000, true}, {1010},       {1020}, {1035},       {1050, true}, {1075},
                          {1100, true}, {1125},       {1150}, {1200},       {1250, true}, {1300},
                          {1400},       {1500, true}, {1750}, {2000, true}, {2600, true}, {4000, true}};
constexpr int64_t whole = 1000;

} // namespace

std::vector<Limit> budgetLadder(KnownPeaks peaks, int64_t budget) {
  std::vector<Limit> limits = {{std::min(budget, peaks.least)}};
  for (Part part : parts) {
    if (limits.back().bytes >= budget)
      return limits;
    // Rounded up, so that a budget which was rounded down from the same part looks under this limit.
    int64_t limit = (peaks.program * part.thousandths + whole - 1) / whole;
    if (limit > limits.back().bytes)
      limits.push_back({limit, part.isThorough});
  }
  if (limits.back().bytes < budget)
    limits.push_back({unlimited});
  return limits;
}

} // namespace ccgraph::overlap
