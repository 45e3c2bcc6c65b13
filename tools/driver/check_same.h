// The part of ccgraph-check that compares a parallel step with another form of it (--same-as).
//
// Ownership: borrows everything for the call. Failure: errors of readers, and placements that do not fit. Cost: that of
// compareFormFiles.
#pragma once

#include "ccgraph/checks/form_files.h"
#include "driver/check_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// Returns the files and the choices that the options name.
[[nodiscard]] FormFilePair formFilesOf(const CheckOptions &options, llvm::ArrayRef<std::string> paths);
/// Returns Ok for equal steps, Diagnosed for different ones, CheckFailed where it cannot be decided.
[[nodiscard]] llvm::Expected<ExitCode> checkSameStep(const CheckOptions &options, llvm::ArrayRef<std::string> paths,
                                                     Streams streams);

} // namespace ccgraph::driver
