// toolMain is the body of a main function: it passes the arguments, returns the exit code, and reports an error if
// standard output could not be written.
//
// LLVM aborts with a stack trace if such an error is never read; here a full disk is an ordinary error. An error of
// standard error is not reported, since there is no stream left for it.
//
// Ownership: none. Failure: returns the tool's exit code, or Diagnosed if only writing failed. Cost: none of its own.
#pragma once

#include "driver/command_line.h"
#include "driver/streams.h"

namespace ccgraph::driver {

using Tool = ExitCode (*)(llvm::ArrayRef<const char *> arguments, Streams streams);

/// Runs a tool on the process's own streams.
[[nodiscard]] int toolMain(int argc, char **argv, Tool tool);

} // namespace ccgraph::driver
