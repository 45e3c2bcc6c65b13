// The part of ccgraph-opt that rewrites a job file: the graphs of all ranks together (ccgraph/toolkit/job_output.h).
// -o names the folder of the rewritten job.
//
// Ownership: borrows options, file and streams. Failure: prints the errors, and returns the exit code. Cost: that of
// rewriteJobInto.
#pragma once

#include "ccgraph/frontend/files.h"
#include "driver/opt_options.h"
#include "driver/streams.h"

#include <optional>

namespace ccgraph::driver {

/// Opens the input if its name is that of a JSON file, which may be a job. Returns no file for other names, and for a
/// file that cannot be opened, which is reported where graphs are read.
[[nodiscard]] std::optional<InputFile> openJsonFile(const std::string &input);

[[nodiscard]] ExitCode runWholeJob(const OptOptions &options, const InputFile &file, Streams streams);

} // namespace ccgraph::driver
