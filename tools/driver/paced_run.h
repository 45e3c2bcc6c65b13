// Assigns simulated durations to the steps of a run (--pace), and reports the result.
//
// Durations come from the file that --pace names. For other nodes, they are the cost model's predictions for --machine.
// A plan has no graph to predict times for.
//
// Ownership: borrows everything for the call. Failure: diagnostics; for a plan, all nodes without a time together.
// Cost: that of the cost model.
#pragma once

#include "ccgraph/runtime/engine.h"
#include "ccgraph/toolkit/step_times.h"
#include "driver/run_program.h"

namespace ccgraph::driver {

/// Returns the times of each plan of the program.
[[nodiscard]] llvm::Expected<std::vector<StepTimes>> timesOfProgram(const RunProgram &program);
[[nodiscard]] runtime::Pace paceOf(llvm::ArrayRef<StepTimes> times);

/// The results of the paced runs.
struct PacedRuns {
  /// see RankTraces
  std::vector<std::vector<int64_t>> ends;
  /// of each run, by the clock of this machine
  llvm::ArrayRef<double> seconds;
};

/// Prints "paced     by d.tsv, the rest predicted for h100x8; nothing is computed", the sum of the durations of rank
/// 0's steps, the simulated end of the last step, and the time that the machine took.
void printPace(llvm::raw_ostream &os, const RunProgram &program, const StepTimes &times, const PacedRuns &runs);

} // namespace ccgraph::driver
