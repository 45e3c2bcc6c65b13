// ccgraph-check checks a whole job before it runs: the graphs of all ranks.
//
// Exit codes differ from those of the other tools, since a finding is the result of a check and no error: 0 without a
// finding, 1 with at least one finding, 2 for a wrong command line and for an input that cannot be checked (a file that
// cannot be read, a graph that is wrong by itself).
//
// Ownership: borrows arguments and streams. Failure: returns the exit code and prints the errors. Cost: that of reading
// the graphs and of the check (ccgraph/jobs/check.h).
#pragma once

#include "driver/command_line.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// `arguments` without the program's name.
[[nodiscard]] ExitCode checkMain(llvm::ArrayRef<const char *> arguments, Streams streams);

} // namespace ccgraph::driver
