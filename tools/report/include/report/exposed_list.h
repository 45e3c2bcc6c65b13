// Formats the list of exposed collectives as sentences, as a table and as comma-separated values.
//
// Ownership: plain values. Failure: none; the stream keeps the system's error. Cost: linear in the list.
#pragma once

#include "ccgraph/passes/exposure.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::report {

/// Returns why the collective cannot begin earlier: "queues behind all_gather_3", "after its input mm_4", ...
[[nodiscard]] std::string beginText(const Exposure &exposure);
/// Returns the node that waits for the collective: "add_7", "the end of the program".
[[nodiscard]] std::string readerText(const Exposure &exposure);

/// Prints a title and one line for each collective, with aligned columns.
void printExposed(llvm::raw_ostream &os, llvm::ArrayRef<Exposure> exposed);
/// Prints a header line and one line for each collective, as RFC 4180 requires; times are in nanoseconds.
void printExposedCsv(llvm::raw_ostream &os, llvm::ArrayRef<Exposure> exposed);

} // namespace ccgraph::report
