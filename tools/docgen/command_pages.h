// Writes the description of a command line as a manual page and as completion for bash.
//
// Both are written from the declarations that --help prints, so they contain every flag.
//
// Ownership: plain text. Failure: none. Cost: linear in the flags.
#pragma once

#include "driver/command_line.h"

namespace ccgraph {

/// Returns a page of section 1 in the language of man(7).
[[nodiscard]] std::string manualPage(const std::string &tool, const driver::CommandLine &line);

/// Returns a script that bash-completion finds by the name of the tool.
[[nodiscard]] std::string bashCompletion(const std::string &tool, const driver::CommandLine &line);

} // namespace ccgraph
