// Describes a program that needs more memory than --memory-budget allows.
//
// Ownership: plain values. Failure: none. Cost: linear in nodes and edges.
#pragma once

#include "ccgraph/passes/pass_manager.h"

namespace ccgraph::driver {

/// Returns an empty text if the graph fits. Otherwise returns an error of some lines: what the graph needs, which
/// tensors use the memory, and whether any order could fit. `run` produced the graph.
[[nodiscard]] std::string overBudgetText(llvm::StringRef file, const Graph &graph, const PipelineRun &run,
                                         int64_t budget);

} // namespace ccgraph::driver
