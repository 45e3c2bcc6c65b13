// ccgraph-gen generates the graph of a training step without tracing a model.
//
// Ownership: borrows arguments and streams. Failure: returns the exit codes of command_line.h and prints the errors.
// Cost: that of generating and writing the graph, some microseconds a node.
#pragma once

#include "driver/command_line.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// `arguments` without the program's name.
[[nodiscard]] ExitCode genMain(llvm::ArrayRef<const char *> arguments, Streams streams);

} // namespace ccgraph::driver
