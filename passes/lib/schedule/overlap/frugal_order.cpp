#include "schedule/overlap/frugal_order.h"

#include "schedule/overlap/memory_cut.h"
#include "schedule/overlap/replay.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace ccgraph::overlap {

namespace {

/// How often a new peak is looked at.
constexpr unsigned maxRounds = 4;

void mapRow(Rows &rows, llvm::ArrayRef<uint32_t> row, const std::vector<uint32_t> &numberOf) {
  llvm::SmallVector<uint32_t, 16> mapped;
  for (uint32_t step : row)
    mapped.push_back(numberOf[step]);
  llvm::sort(mapped);
  rows.append(mapped);
}

} // namespace

Problem renumbered(const Problem &problem, const std::vector<uint32_t> &order) {
  std::vector<uint32_t> numberOf(order.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    numberOf[order[i]] = i;
  Problem result;
  result.storages = problem.storages;
  result.streams = problem.streams;
  result.crowding = problem.crowding;
  for (uint32_t step : order) {
    result.steps.push_back(problem.steps[step]);
    result.holds.append(problem.holds[step]);
    mapRow(result.before, problem.before[step], numberOf);
    mapRow(result.lands, problem.lands[step], numberOf);
  }
  result.price = [&problem, order](uint32_t launch, int64_t bytes) { return problem.price(order[launch], bytes); };
  return result;
}

FrugalOrder frugalOrder(const Problem &problem) {
  Schedule current = asItStands(problem);
  Replay now = replay(problem, current);
  FrugalOrder best = {current.order, now.peakBytes};
  for (unsigned round = 0; round < maxRounds && best.floor < best.peak; ++round) {
    uint32_t peak = current.order[now.peakAt];
    MemoryCut cut = memoryCut(problem, peak);
    if (cut.bytes > best.floor) {
      best.floor = cut.bytes;
      best.floorAt = peak;
    }
    auto side = [&](uint32_t step) { return cut.before[step] ? 0 : step == peak ? 1 : 2; };
    llvm::stable_sort(current.order, [&](uint32_t a, uint32_t b) { return side(a) < side(b); });
    now = replay(problem, current);
    if (now.peakBytes < best.peak) {
      best.order = current.order;
      best.peak = now.peakBytes;
    }
  }
  return best;
}

} // namespace ccgraph::overlap
