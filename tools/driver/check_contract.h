// The part of ccgraph-check that compares a training step with a contract (--expect), or writes a first contract
// (--write-contract).
//
// Ownership: borrows options and streams. Failure: returns errors of readers and writers; findings are no errors. Cost:
// that of reading the step and of gatherCommunication.
#pragma once

#include "driver/check_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// Returns Ok if the step satisfies the contract, or if a contract was written; Diagnosed if it violates the contract.
[[nodiscard]] llvm::Expected<ExitCode> checkContractOf(const CheckOptions &options, const std::string &path,
                                                       Streams streams);

} // namespace ccgraph::driver
