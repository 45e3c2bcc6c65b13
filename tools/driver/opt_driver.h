// ccgraph-opt as a function, so that tests call what the tool calls.
//
// Reads, verifies, runs the pipeline with its checks, proves equivalence where asked, writes, and
// sums up. Results go to `out` or to the file that the options name, all else to `err`. A graph is
// written only when everything that was asked for holds.
//
// Ownership: borrows arguments and streams for the call. Failure: an exit code of command_line.h,
// with its diagnostics on `err`; a failed check after a pass is a defect of ours, and leaves a
// reproducer in the working directory. Cost: those of reading, of the pipeline with its checks
// (pass_manager.h) and of writing.
#pragma once

#include "driver/command_line.h"
#include "driver/streams.h"

namespace ccgraph::driver {

[[nodiscard]] ExitCode optMain(llvm::ArrayRef<const char *> arguments, Streams streams);

} // namespace ccgraph::driver
