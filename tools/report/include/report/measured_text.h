// Formats the explanation of a measured step: the lines of the summary, the table of --exposed, and its rows of CSV.
//
// Ownership: borrows the explanation. Failure: none; the stream keeps the system's error. Cost: linear in the
// collectives.
#pragma once

#include "report/summary.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace ccgraph::report {

/// A line of the summary; an empty label continues the one before.
struct MeasuredLine {
  std::string label;
  std::string text;
};

/// `predicted`: picoseconds of the step by the measured times in the graph's order, without pauses or waiting for
/// ranks; `bound`: the least of any order with any merging. Empty: no times were predicted.
struct MeasuredLines {
  const measured::JobExplanation &explanation;
  std::optional<int64_t> predicted;
  std::optional<int64_t> bound;
};
[[nodiscard]] std::vector<MeasuredLine> measuredLines(const MeasuredLines &request);

/// Returns the lines about a memory snapshot.
[[nodiscard]] std::vector<MeasuredLine> memoryLines(const measured::MemoryComparison &memory);

/// Returns why the last rank of a collective is late, such as "mm on rank 2 (+3.0 ms)"; empty if no rank is.
[[nodiscard]] std::string causeText(const measured::Cause &cause);

/// Prints the exposed collectives as predicted, and below them those of measured traces, if there are any: a title and
/// a line for each, those that stall the program longest first, at most `count`.
void printExposedLists(llvm::raw_ostream &os, const Summary &summary, size_t count);

} // namespace ccgraph::report
