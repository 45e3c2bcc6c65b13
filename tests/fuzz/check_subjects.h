// The fuzzed readers of ccgraph-check: contracts, pipeline schedules and job files (subjects.h).
//
// Ownership: plain values. Failure: returns a complaint as text; empty if there is none. Cost: milliseconds a text.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace ccgraph::test {

[[nodiscard]] std::vector<std::string> contractFiles();
/// An accepted contract must be written as a text that reads back as the same contract.
[[nodiscard]] std::string complaintAboutContract(llvm::StringRef text);

[[nodiscard]] std::vector<std::string> pipelineSchedules();
/// An accepted schedule must be written as a text that reads back as the same schedule. If only a deadlock is wrong
/// with it, its form with transfers must have the same verdict.
[[nodiscard]] std::string complaintAboutPipelineSchedule(llvm::StringRef text);

[[nodiscard]] std::vector<std::string> jobFiles();
/// The entries of an accepted job file must have a graph and ascending ranks, and no rank may occur twice.
[[nodiscard]] std::string complaintAboutJobFile(llvm::StringRef text);

} // namespace ccgraph::test
