// Implements --fit-machine: fits a machine file to timed collectives and prints the error on those that were held out.
//
// Ownership: none. Failure: a printed error and its exit code. Cost: that of reading the files.
#pragma once

#include "driver/opt_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

[[nodiscard]] ExitCode runFitMachine(const OptOptions &options, Streams streams);

} // namespace ccgraph::driver
