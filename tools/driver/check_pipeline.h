// The part of ccgraph-check that checks a pipeline schedule in PyTorch's CSV form.
//
// Ownership: borrows options and streams. Failure: returns errors of the reader; findings are no errors. Cost: that of
// verifyPipelineSchedule.
#pragma once

#include "driver/check_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// Returns whether the file is a pipeline schedule; an error if it cannot be opened.
[[nodiscard]] llvm::Expected<bool> isPipelineFile(const std::string &path);

/// Returns Ok if the schedule runs to its end, else Diagnosed.
[[nodiscard]] llvm::Expected<ExitCode> checkPipelineOf(const CheckOptions &options, const std::string &path,
                                                       Streams streams);

} // namespace ccgraph::driver
