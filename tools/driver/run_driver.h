// ccgraph-run as a function, so that tests call what the tool calls.
//
// Executes a graph on N ranks and either holds its outputs to recorded ones or prints a checksum for each. The result goes to `out`,
// errors and differences to `err`. Exit codes are those of command_line.h: a mismatch is CheckFailed.
#pragma once

#include "driver/command_line.h"

namespace ccgraph::driver {

struct Streams {
  llvm::raw_ostream &out;
  llvm::raw_ostream &err;
};

[[nodiscard]] ExitCode runMain(llvm::ArrayRef<const char *> arguments, Streams streams);

} // namespace ccgraph::driver
