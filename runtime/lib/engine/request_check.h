// What an engine asks of a request before it does anything.
//
// Failure: DiagnosticErrors of rules run.request and run.memory. Cost: linear in the buffers.
#pragma once

#include "ccgraph/runtime/engine.h"

namespace ccgraph::runtime {

/// Plans for the ranks, and memory for the plans of those ranks that share one host's: `hostRanks`.
[[nodiscard]] llvm::Error checkPlanRequest(const PlanRequest &request, llvm::ArrayRef<size_t> hostRanks);
/// Inputs for each rank.
[[nodiscard]] llvm::Error checkInputs(size_t given, size_t ranks);

} // namespace ccgraph::runtime
