// runOptJob runs ccgraph-opt once over one file, with options that are already parsed.
//
// Ownership: nothing outlives the call. Failure: printed on streams.err; the exit code states the kind of failure
// (command_line.h). Cost: that of the requested work.
#pragma once

#include "driver/opt_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

[[nodiscard]] ExitCode runOptJob(const OptOptions &options, Pipeline pipeline, Streams streams);

} // namespace ccgraph::driver
