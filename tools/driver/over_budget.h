// What is said where a program needs more memory than --memory-budget allows.
//
// Ownership: plain values. Failure: none. Cost: linear in nodes and edges.
#pragma once

#include "ccgraph/passes/pass_manager.h"

namespace ccgraph::driver {

/// Empty where the graph fits. Else an error of some lines: what it needs, what holds that, and whether any order could
/// fit. `run` made the graph.
[[nodiscard]] std::string overBudgetText(llvm::StringRef file, const Graph &graph, const PipelineRun &run,
                                         int64_t budget);

} // namespace ccgraph::driver
