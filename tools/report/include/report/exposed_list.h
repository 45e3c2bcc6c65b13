// The list of exposed transfers, in words, as a table and as comma-separated values.
//
// Ownership: plain values. Failure: none; the stream keeps what the system said. Cost: linear in the list.
#pragma once

#include "ccgraph/passes/exposure.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::report {

/// What keeps it from beginning earlier: "queues behind all_gather_3", "after its input mm_4", ...
[[nodiscard]] std::string beginText(const Exposure &exposure);
/// What waits for it: "add_7", "the end of the program".
[[nodiscard]] std::string readerText(const Exposure &exposure);

/// A title and one line each, columns aligned.
void printExposed(llvm::raw_ostream &os, llvm::ArrayRef<Exposure> exposed);
/// A line of names and one line each, by RFC 4180; times in nanoseconds.
void printExposedCsv(llvm::raw_ostream &os, llvm::ArrayRef<Exposure> exposed);

} // namespace ccgraph::report
