// The part of ccgraph-check that says which outputs of two programs are bitwise equal (--same-as with --numerics).
//
// Ownership: borrows everything for the call. Failure: errors of readers, and programs whose inputs or outputs do not
// correspond. Cost: that of compareNumericsOfFiles.
#pragma once

#include "driver/check_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// Returns Ok if all outputs are equal but for the order and the dtype of sums, CheckFailed where it cannot be decided.
[[nodiscard]] llvm::Expected<ExitCode> checkNumericsOf(const CheckOptions &options, llvm::ArrayRef<std::string> paths,
                                                       Streams streams);

} // namespace ccgraph::driver
