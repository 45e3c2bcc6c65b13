// ccgraph-gen: the graph of a training step that nobody has traced.
//
// Ownership: borrows arguments and streams. Failure: the exit codes of command_line.h; errors are printed.
// Cost: that of making the graph and writing it, some microseconds a node.
#pragma once

#include "driver/command_line.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// `arguments` without the program's name.
[[nodiscard]] ExitCode genMain(llvm::ArrayRef<const char *> arguments, Streams streams);

} // namespace ccgraph::driver
