// ccgraph-opt as a function, so that tests call what the tool calls.
//
// Reads, verifies, runs the pipeline with its checks, proves equivalence where asked, writes, and sums up. Results go to `out` or to the file
// that the options name, all else to `err`. A graph is written only when everything that was asked for holds. Exit codes are those of command_line.h;
// a failed check after a pass is a defect of ours: it leaves a reproducer in the working directory.
#pragma once

#include "driver/command_line.h"
#include "driver/streams.h"

namespace ccgraph::driver {

[[nodiscard]] ExitCode optMain(llvm::ArrayRef<const char *> arguments, Streams streams);

} // namespace ccgraph::driver
