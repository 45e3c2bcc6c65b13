// The part of ccgraph-check that states how the ranks hold each value of a step (--infer-placements).
//
// Ownership: borrows everything for the call. Failure: errors of readers, and placements that do not fit. Cost: that of
// inferPlacementsOfFiles.
#pragma once

#include "driver/check_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// Returns Ok without findings, Diagnosed with one, CheckFailed where something cannot be decided.
[[nodiscard]] llvm::Expected<ExitCode> checkPlacementsOf(const CheckOptions &options, llvm::ArrayRef<std::string> paths,
                                                         Streams streams);

} // namespace ccgraph::driver
