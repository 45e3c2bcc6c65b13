// The part of ccgraph-opt that rewrites a job file: the graphs of all ranks together (ccgraph/toolkit/job_rewrite.h).
//
// -o names a folder, which receives the rewritten graphs as JSON, with their groups, and a job.json that lists them.
// The default pipeline is schedule-overlap{buckets=none}, because a job with merged collectives is not proved.
//
// Ownership: borrows options and streams. Failure: prints the errors, and returns the exit code. Cost: that of
// rewriteJob.
#pragma once

#include "driver/opt_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// Returns whether the input is a job file.
[[nodiscard]] bool isWholeJob(const std::string &input);

[[nodiscard]] ExitCode runWholeJob(const OptOptions &options, Streams streams);

} // namespace ccgraph::driver
