// The checks of an engine on a request, before all else.
//
// Failure: DiagnosticErrors of rules run.request, run.memory and guards.fact. Cost: linear in the buffers, and in the
// guards of each rank.
#pragma once

#include "ccgraph/runtime/engine.h"

namespace ccgraph::runtime {

/// Plans for the ranks, whose guards hold there, what the engine is able to, and memory for the plans of those ranks
/// that share one host's: `hostRanks`.
[[nodiscard]] llvm::Error checkPlanRequest(const PlanRequest &request, const Engine &engine,
                                           llvm::ArrayRef<size_t> hostRanks);
/// Checks that plans of several ranks communicate alike (plan_fingerprint.h). Plans that do not state their rank can
/// only be checked as their calls match.
[[nodiscard]] llvm::Error checkPlansAgree(llvm::ArrayRef<const Plan *> plans);
/// Inputs for each rank.
[[nodiscard]] llvm::Error checkInputs(size_t given, size_t ranks);
/// Returns the error of memory that inputs and results need in addition to that of the plans: "400 bytes".
[[nodiscard]] llvm::Error refuseMemory(const std::string &asked);

} // namespace ccgraph::runtime
