// A run that is paced, as ccgraph-run asks for it and tells of it: how long each step takes, and what came of that.
//
// Times of nodes are those of the durations that --pace names, and what the cost model predicts for --machine where these do not
// name a node; a plan has no graph of which times could be predicted.
//
// Ownership: borrows everything for the call. Failure: diagnostics; of a plan, the nodes without a time, all at once. Cost: that of the
// cost model.
#pragma once

#include "ccgraph/runtime/engine.h"
#include "ccgraph/toolkit/step_times.h"
#include "driver/run_program.h"

namespace ccgraph::driver {

/// By plan of the program.
[[nodiscard]] llvm::Expected<std::vector<StepTimes>> timesOfProgram(const RunProgram &program);
[[nodiscard]] runtime::Pace paceOf(llvm::ArrayRef<StepTimes> times);

/// What came of the runs.
struct PacedRuns {
  /// see RankTraces
  std::vector<std::vector<int64_t>> ends;
  /// of each run, by this machine's clock
  llvm::ArrayRef<double> seconds;
};

/// "paced     by d.tsv, the rest predicted for h100x8; nothing is computed", what the steps of rank 0 add up to, when the last
/// step ended by the stated times, and what the machine took.
void printPace(llvm::raw_ostream &os, const RunProgram &program, const StepTimes &times, const PacedRuns &runs);

} // namespace ccgraph::driver
