// entryMain is the program `ccgraph`: one name for all tools.
//
// The first word names the command, and the other words are its arguments: `ccgraph opt step.log` does the same as
// `ccgraph-opt step.log`. A first word that is a flag, a path or an existing file belongs to `opt`, so `ccgraph
// step.log` is enough. `report` is opt with --report: its -o names the page, which is report.html without -o. A program
// that is started by the name of a tool, such as ccgraph-run, is that tool.
//
// Ownership: borrows the words during the call. Failure: an unknown word is an error of usage, with the nearest
// command. Cost: none besides that of the tool.
#pragma once

#include "driver/command_line.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// A word that may follow `ccgraph`.
struct EntryCommand {
  std::string name;
  /// one line of the help
  std::string help;
};

/// Returns the commands, in the order of the help.
[[nodiscard]] llvm::ArrayRef<EntryCommand> entryCommands();

/// `arguments` without the program's name.
ExitCode entryMain(llvm::ArrayRef<const char *> arguments, Streams streams);

/// Does the same, and heeds the name by which the program was started: "ccgraph-run" is `ccgraph run`.
ExitCode entryMainAs(llvm::StringRef program, llvm::ArrayRef<const char *> arguments, Streams streams);

} // namespace ccgraph::driver
