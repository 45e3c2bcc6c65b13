// Command pages: what a command line says of itself, as a manual page and as completion for bash.
//
// Both are written from the declarations that --help prints, so that neither can forget a flag.
//
// Ownership: plain text. Failure: none. Cost: linear in the flags.
#pragma once

#include "driver/command_line.h"

namespace ccgraph {

/// In the language of man(7), section 1.
[[nodiscard]] std::string manualPage(const std::string &tool, const driver::CommandLine &line);

/// A script that bash-completion finds by the name of the tool.
[[nodiscard]] std::string bashCompletion(const std::string &tool, const driver::CommandLine &line);

} // namespace ccgraph
