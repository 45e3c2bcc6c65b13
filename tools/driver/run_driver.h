// Provides ccgraph-run as a function, so that tests run the same code as the tool.
//
// It executes a graph on N ranks, and either compares its outputs with recorded ones or prints a checksum for each. The
// result goes to `out`; errors and differences go to `err`.
//
// Ownership: borrows arguments and streams for the call. Failure: an exit code of command_line.h; a
// mismatch is CheckFailed. Cost: that of the interpreter, and the memory of all ranks at once.
#pragma once

#include "driver/command_line.h"
#include "driver/streams.h"

namespace ccgraph::driver {

[[nodiscard]] ExitCode runMain(llvm::ArrayRef<const char *> arguments, Streams streams);

} // namespace ccgraph::driver
