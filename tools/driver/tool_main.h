// toolMain: what a main does around its tool: arguments in, exit code out, and a word where standard
// output could not be written.
//
// LLVM ends a program that leaves such an error unread with an abort and a stack trace; here a full
// disk is an error like any other. That standard error cannot be written is told nobody, since there is
// nowhere left to say it.
//
// Ownership: none. Failure: the tool's exit code, or Diagnosed where all went well but the writing.
// Cost: none of its own.
#pragma once

#include "driver/command_line.h"
#include "driver/streams.h"

namespace ccgraph::driver {

using Tool = ExitCode (*)(llvm::ArrayRef<const char *> arguments, Streams streams);

/// Runs a tool on the process's own streams.
[[nodiscard]] int toolMain(int argc, char **argv, Tool tool);

} // namespace ccgraph::driver
