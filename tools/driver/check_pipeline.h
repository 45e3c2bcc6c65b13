// The part of ccgraph-check that checks a pipeline schedule in PyTorch's CSV form (ccgraph/checks/pipeline_check.h).
//
// Ownership: borrows options and streams. Failure: returns errors of the reader; findings are no errors. Cost: that of
// checkPipeline.
#pragma once

#include "driver/check_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// Returns Ok if the schedule runs to its end and the job has no finding under the chosen semantics, else Diagnosed.
[[nodiscard]] llvm::Expected<ExitCode> checkPipelineOf(const CheckOptions &options, const std::string &path,
                                                       Streams streams);

} // namespace ccgraph::driver
