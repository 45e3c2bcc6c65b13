#include "driver/chakra_trace.h"

#include "ccgraph/frontend/chakra.h"
#include "ccgraph/toolkit/cost_files.h"

namespace ccgraph::driver {

void writeChakraTrace(llvm::raw_ostream &os, const Graph &graph, const PassManagerOptions &options) {
  CostModel costs(graph, orDefault(options.machine), options.durations,
                  options.spmd ? RankView::Shared : RankView::Own);
  writeChakra(os, graph, [&](const Node &node) { return costs.estimatedTime(node).picoseconds; });
}

} // namespace ccgraph::driver
