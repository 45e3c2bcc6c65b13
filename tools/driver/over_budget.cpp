#include "driver/over_budget.h"

#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/toolkit/peak_holders.h"
#include "ccgraph/toolkit/text.h"

namespace ccgraph::driver {

static std::string withExactBytes(int64_t bytes) { return bytesText(bytes) + " (" + std::to_string(bytes) + " bytes)"; }

static std::string reasonFor(const PipelineRun &run, int64_t budget) {
  if (!run.bounds || run.bounds->memory.bytes == 0)
    return "no order was found that fits";
  const MemoryFloor &floor = run.bounds->memory;
  return floor.bytes > budget
             ? "no order can fit, since " + floor.at + " needs " + withExactBytes(floor.bytes) + " in any order"
             : "no order was found that fits; none needs less than " + withExactBytes(floor.bytes);
}

std::string overBudgetText(llvm::StringRef file, const Graph &graph, const PipelineRun &run, int64_t budget) {
  if (peakMemory(graph).bytes <= budget)
    return "";
  constexpr size_t named = 5, indent = 8;
  PeakHolders peak = holdersOfPeak(graph);
  return file.str() + ": error: needs " + withExactBytes(peak.bytes) + ", and --memory-budget allows " +
         bytesText(budget) + ": " + reasonFor(run, budget) + "\n  note: " + wrapped(str(peak, named), indent) +
         "\n  note: of all orders that were tried, this one needs the least memory\n";
}

} // namespace ccgraph::driver
