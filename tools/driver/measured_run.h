// Reports the times of a run of ccgraph-run: as lines on the screen, as a trace, and as the duration of each node of
// the input graph.
//
// Ownership: borrows everything for the call. Failure: diagnostics of a file that cannot be written. Cost: linear in
// the steps.
#pragma once

#include "ccgraph/runtime/run_times.h"
#include "driver/run_program.h"

namespace ccgraph::driver {

/// Prints "time      steps alone: ...".
void printStepTimes(llvm::raw_ostream &os, llvm::ArrayRef<runtime::RunTimes> runs);
/// Prints "time      communication: ..." and a line for the collectives of each kind on each group: medians of the
/// runs.
void printCommunication(llvm::raw_ostream &os, llvm::ArrayRef<runtime::RunTimes> runs);

/// Writes a Chrome trace of the records.
[[nodiscard]] llvm::Error saveTrace(const std::string &path, llvm::ArrayRef<FlightRecord> records);

/// Writes a duration file: node, tab, microseconds (the median of the runs); the first line is `# graph DIGEST`. The
/// names are those of the graph before passes rewrote it. If passes merged several of its nodes into one, the time is
/// divided among them: by bytes for collectives, else equally. If ranks have graphs of their own, the file describes
/// rank 0.
[[nodiscard]] llvm::Error saveDurations(const std::string &path, const RunProgram &program,
                                        llvm::ArrayRef<runtime::RunTimes> runs);

} // namespace ccgraph::driver
