// runOptJob runs ccgraph-opt once over one file, with options that are already parsed.
//
// Ownership: nothing outlives the call. Failure: printed on streams.err; the exit code states the kind of failure
// (command_line.h). Cost: that of the requested work.
#pragma once

#include "ccgraph/frontend/files.h"
#include "driver/opt_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// `opened` is the input, if it is already open: a file is inflated once, and a pipe can be read only once.
[[nodiscard]] ExitCode runOptJob(const OptOptions &options, Pipeline pipeline, std::optional<InputFile> opened,
                                 Streams streams);

} // namespace ccgraph::driver
