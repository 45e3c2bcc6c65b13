// Writes the description of a command line as completion for zsh.
//
// The script is written from the declarations that --help prints, so it offers every flag with its help text. It is the
// body of an autoloaded function, which zsh finds by the name `_TOOL` in its fpath.
//
// Ownership: plain text. Failure: none. Cost: linear in the flags.
#pragma once

#include "driver/command_line.h"

namespace ccgraph {

[[nodiscard]] std::string zshCompletion(const std::string &tool, const driver::CommandLine &line);

} // namespace ccgraph
