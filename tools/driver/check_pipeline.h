// The part of ccgraph-check that checks a pipeline schedule in PyTorch's CSV form: first the rules of schedules
// (pipeline_verifier.h), then, if at most a deadlock is wrong, all ranks as a job (ccgraph/jobs/check.h): with the
// graphs of the stages (--stage-graphs, ccgraph/toolkit/pipeline_stages.h), or else their transfers alone.
//
// Ownership: borrows options and streams. Failure: returns errors of the reader; findings are no errors. Cost: that of
// verifyPipelineSchedule and of checkJob.
#pragma once

#include "driver/check_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// Returns whether the file is a pipeline schedule; an error if it cannot be opened.
[[nodiscard]] llvm::Expected<bool> isPipelineFile(const std::string &path);

/// Returns Ok if the schedule runs to its end and the job has no finding under the chosen semantics, else Diagnosed.
[[nodiscard]] llvm::Expected<ExitCode> checkPipelineOf(const CheckOptions &options, const std::string &path,
                                                       Streams streams);

} // namespace ccgraph::driver
