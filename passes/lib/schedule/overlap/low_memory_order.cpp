#include "schedule/overlap/low_memory_order.h"

#include "schedule/overlap/longest_chain.h"
#include "schedule/overlap/memory_cut.h"
#include "schedule/overlap/replay.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace ccgraph::overlap {

namespace {

/// Maximum number of new peaks that are examined.
constexpr unsigned maxRounds = 4;
/// Number of parts of the longest chain; in each, the step with the most memory is examined.
constexpr size_t chainParts = 3;

void raiseFloor(LowMemoryOrder &order, int64_t bytes, uint32_t step) {
  if (bytes <= order.floor)
    return;
  order.floor = bytes;
  order.floorAt = step;
}

// A peak may be at a step on which little depends. Then most of the program may be on either side of it, and the cut
// there gives a weak bound. For each step of the longest chain, most of the program is fixed on one side.
void lookAtChain(const Problem &problem, LowMemoryOrder &order) {
  std::vector<uint32_t> chain = longestChain(problem);
  std::vector<int64_t> memory = memoryByPlace(problem, asItStands(problem));
  auto needsLess = [&](uint32_t a, uint32_t b) { return memory[a] < memory[b]; };
  for (size_t part = 0; part < chainParts; ++part) {
    auto begin = chain.begin() + static_cast<ptrdiff_t>(chain.size() * part / chainParts);
    auto end = chain.begin() + static_cast<ptrdiff_t>(chain.size() * (part + 1) / chainParts);
    if (auto most = std::max_element(begin, end, needsLess); most != end && memory[*most] > order.floor)
      raiseFloor(order, memoryCut(problem, *most).bytes, *most);
  }
}

} // namespace

LowMemoryOrder lowMemoryOrder(const Problem &problem) {
  Schedule current = asItStands(problem);
  MemoryPeak now = memoryPeak(problem, current);
  LowMemoryOrder best = {current.order, now.bytes};
  for (unsigned round = 0; round < maxRounds && best.floor < best.peak; ++round) {
    uint32_t peak = current.order[now.at];
    MemoryCut cut = memoryCut(problem, peak);
    raiseFloor(best, cut.bytes, peak);
    auto side = [&](uint32_t step) { return cut.before[step] ? 0 : step == peak ? 1 : 2; };
    llvm::stable_sort(current.order, [&](uint32_t a, uint32_t b) { return side(a) < side(b); });
    now = memoryPeak(problem, current);
    if (now.bytes < best.peak) {
      best.order = current.order;
      best.peak = now.bytes;
    }
  }
  if (best.floor < best.peak)
    lookAtChain(problem, best);
  return best;
}

} // namespace ccgraph::overlap
