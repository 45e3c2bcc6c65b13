// Writes the pages of the program `ccgraph`, whose first word names a command: its manual page, and completion for bash
// and zsh.
//
// They are written from the list of commands that `ccgraph --help` prints. Completion passes all words after the
// command to the completion of the tool of that name.
//
// Ownership: plain text. Failure: none. Cost: none worth a mention.
#pragma once

#include <string>

namespace ccgraph {

[[nodiscard]] std::string entryManualPage();
[[nodiscard]] std::string entryBashCompletion();
[[nodiscard]] std::string entryZshCompletion();

} // namespace ccgraph
