// What ccgraph-run prints of a run: a line for each thing, its name in front.
//
// Ownership: borrows everything for the call. Failure: none; the stream keeps what the system said. Cost: linear in what is
// printed, and in the steps of plans.
#pragma once

#include "ccgraph/runtime/comparison.h"
#include "driver/run_program.h"

namespace ccgraph::driver {

/// "program   f: 4 nodes, one text for 2 ranks, engine reference".
void printProgram(llvm::raw_ostream &os, const RunProgram &program);
/// "assumed   group 0 taken as ranks 0 to 1, since no file says", where something is.
void printAssumed(llvm::raw_ostream &os, const RunProgram &program);
/// "plan      12 steps on 3 streams, 4 waits" and "memory    arena 1.2 KiB ..." for each plan that ran.
void printPlans(llvm::raw_ostream &os, const RunProgram &program, llvm::ArrayRef<TensorMap> inputs);
/// "312 us", "31 ms": steps of small programs are far below a millisecond.
[[nodiscard]] std::string runTimeText(double seconds);
/// At least one value.
[[nodiscard]] double median(std::vector<double> values);
/// "min 1.2 ms, median 1.3 ms, max 2.0 ms". At least one value.
[[nodiscard]] std::string spreadText(const std::vector<double> &seconds);
/// "time      3 runs: min 1.2 ms, median 1.3 ms, max 2.0 ms". At least one run.
void printTimes(llvm::raw_ostream &os, llvm::ArrayRef<double> seconds);
/// What was compared, the worst difference, the verdict.
void printComparison(llvm::raw_ostream &os, const runtime::Comparison &comparison, const std::string &with);
/// "rank 0  out.0 f32[4] checksum ba2312a674176dca" for each value.
void printChecksums(llvm::raw_ostream &os, const std::vector<TensorMap> &result);

} // namespace ccgraph::driver
