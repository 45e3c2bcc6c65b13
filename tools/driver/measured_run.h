// What a run took, as ccgraph-run tells it: lines on the screen, a trace, and how long each node of the input graph took.
//
// Ownership: borrows everything for the call. Failure: diagnostics of a file that cannot be written. Cost: linear in the steps.
#pragma once

#include "ccgraph/runtime/run_times.h"
#include "driver/run_program.h"

namespace ccgraph::driver {

/// "time      steps alone: ...".
void printStepTimes(llvm::raw_ostream &os, llvm::ArrayRef<runtime::RunTimes> runs);
/// "time      communication: ..." and a line for the collectives of each kind on each group: medians of the runs.
void printCommunication(llvm::raw_ostream &os, llvm::ArrayRef<runtime::RunTimes> runs);

/// A Chrome trace of the records.
[[nodiscard]] llvm::Error saveTrace(const std::string &path, llvm::ArrayRef<FlightRecord> records);

/// A duration file: node, tab, microseconds, the median of the runs; the first line is `# graph DIGEST`. Names are those of the
/// graph before passes rewrote it: what several of its nodes became is shared out among them, by bytes where they are
/// collectives, else equally. Of ranks with graphs of their own it is that of rank 0.
[[nodiscard]] llvm::Error saveDurations(const std::string &path, const RunProgram &program,
                                        llvm::ArrayRef<runtime::RunTimes> runs);

} // namespace ccgraph::driver
