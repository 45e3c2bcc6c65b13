// Prints the report of a run of ccgraph-run: one line for each item, which begins with its name.
//
// Ownership: borrows everything for the call. Failure: none; the stream keeps the system's error. Cost: linear in the
// output, and in the steps of plans.
#pragma once

#include "ccgraph/runtime/comparison.h"
#include "driver/run_program.h"

namespace ccgraph::driver {

/// Prints a line such as "program   f: 4 nodes, one text for 2 ranks, engine reference".
void printProgram(llvm::raw_ostream &os, const RunProgram &program);
/// Prints a line such as "assumed   group 0 taken as ranks 0 to 1, since no file states them" for each assumption.
void printAssumed(llvm::raw_ostream &os, const RunProgram &program);
/// Prints "plan      12 steps on 3 streams, 4 waits" and "memory    arena 1.2 KiB ..." for each plan that ran.
void printPlans(llvm::raw_ostream &os, const RunProgram &program, llvm::ArrayRef<TensorMap> inputs);
/// Returns a text such as "312 us" or "31 ms": steps of small programs take far less than a millisecond.
[[nodiscard]] std::string runTimeText(double seconds);
/// Requires at least one value.
[[nodiscard]] double median(std::vector<double> values);
/// Returns a text such as "min 1.2 ms, median 1.3 ms, max 2.0 ms". Requires at least one value.
[[nodiscard]] std::string spreadText(const std::vector<double> &seconds);
/// Prints a line such as "time      3 runs: min 1.2 ms, median 1.3 ms, max 2.0 ms". Requires at least one run.
void printTimes(llvm::raw_ostream &os, llvm::ArrayRef<double> seconds);
/// Prints what was compared, the worst difference and the verdict.
void printComparison(llvm::raw_ostream &os, const runtime::Comparison &comparison, const std::string &with);
/// Prints a line such as "rank 0  out.0 f32[4] checksum ba2312a674176dca" for each value.
void printChecksums(llvm::raw_ostream &os, const std::vector<TensorMap> &result);

} // namespace ccgraph::driver
