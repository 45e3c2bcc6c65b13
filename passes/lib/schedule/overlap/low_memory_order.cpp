#include "schedule/overlap/low_memory_order.h"

#include "schedule/overlap/memory_cut.h"
#include "schedule/overlap/places.h"
#include "schedule/overlap/replay.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace ccgraph::overlap {

namespace {

/// Maximum number of new peaks that are examined.
constexpr unsigned maxRounds = 4;
/// Number of parts of the longest chain; in each, the step with the most memory is examined.
constexpr size_t chainParts = 3;

void mapRow(NumberLists &rows, llvm::ArrayRef<uint32_t> row, const std::vector<size_t> &numberOf) {
  llvm::SmallVector<uint32_t, 16> mapped;
  for (uint32_t step : row)
    mapped.push_back(static_cast<uint32_t>(numberOf[step]));
  llvm::sort(mapped);
  rows.append(mapped);
}

/// Returns the chain in program order.
std::vector<uint32_t> longestChain(const Problem &problem) {
  std::vector<uint32_t> length(problem.steps.size(), 1), previous(problem.steps.size(), none);
  for (uint32_t step = 0; step < problem.steps.size(); ++step)
    for (uint32_t before : problem.before[step])
      if (length[before] >= length[step]) {
        length[step] = length[before] + 1;
        previous[step] = before;
      }
  std::vector<uint32_t> chain;
  for (auto at = static_cast<uint32_t>(std::max_element(length.begin(), length.end()) - length.begin()); at != none;
       at = previous[at])
    chain.push_back(at);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

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

Problem renumbered(const Problem &problem, const std::vector<uint32_t> &order) {
  std::vector<size_t> numberOf = placesOf(order);
  Problem result;
  result.storages = problem.storages;
  result.streams = problem.streams;
  result.crowding = problem.crowding;
  result.steps.reserve(order.size());
  for (uint32_t step : order) {
    result.steps.push_back(problem.steps[step]);
    result.holds.append(problem.holds[step]);
    mapRow(result.before, problem.before[step], numberOf);
    mapRow(result.completes, problem.completes[step], numberOf);
  }
  result.estimatedTime = [&problem, order](uint32_t launch, int64_t bytes) {
    return problem.estimatedTime(order[launch], bytes);
  };
  return result;
}

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
