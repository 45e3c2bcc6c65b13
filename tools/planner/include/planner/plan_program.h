// One generated program after -O2, as ccgraph-opt predicts it.
//
// Ownership: plain values. Failure: an error of the passes. Cost: a second for a program of 30,000 nodes.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/machine.h"

#include "llvm/Support/Error.h"

#include <optional>

namespace ccgraph::planner {

struct PlanProgram {
  int64_t stepPs = 0;
  int64_t computePs = 0;
  int64_t exposedPs = 0;
  /// no order with any merging of this program is faster
  int64_t boundPs = 0;
  int64_t peakBytes = 0;
  /// what it may need at most: the memory of a rank without what other programs hold meanwhile
  int64_t budgetBytes = 0;
};

/// Does what ccgraph-opt -O2 --machine M --memory-budget B does with a program of one rank. Without a budget, the
/// program may need as much as before the passes.
[[nodiscard]] llvm::Expected<PlanProgram> optimizedProgram(Graph &graph, const Machine &machine,
                                                           std::optional<int64_t> budget);

} // namespace ccgraph::planner
