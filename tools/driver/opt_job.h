// runOptJob: one run of ccgraph-opt over one file, once it is known what is asked for.
//
// Ownership: nothing outlives the call. Failure: said on streams.err; the exit code tells whose it is (command_line.h).
// Cost: that of what is asked for.
#pragma once

#include "driver/opt_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

[[nodiscard]] ExitCode runOptJob(const OptOptions &options, Pipeline pipeline, Streams streams);

} // namespace ccgraph::driver
