// The registry: all passes in one sorted list, and the text of help and docs about each.
//
// To add a pass, add its own file and its line in passes/lib/manager/registry.cpp; the build finds the file
// automatically.
//
// Ownership: createPass returns a new pass each time. Failure: an unknown name gives null; nothing else can fail. All
// texts end in a newline. Cost: constructing a pass takes a few allocations; a name is looked up in a short list.
#pragma once

#include "ccgraph/passes/pass.h"

#include <memory>

namespace ccgraph {

/// Returns the names of all passes, sorted.
[[nodiscard]] std::vector<llvm::StringRef> passNames();
/// Returns a pass with default options; null if there is none of this name.
[[nodiscard]] std::unique_ptr<Pass> createPass(llvm::StringRef name);
/// Returns the known word that is nearest to `word` by edit distance, the first of equals. Returns an empty string if
/// none is near enough: if more than a third of its letters, plus one, would have to change.
[[nodiscard]] std::string nearestWord(llvm::StringRef word, llvm::ArrayRef<std::string> known);

/// Returns the text of --list-passes: a line a pass.
[[nodiscard]] std::string passListText();
/// Returns the text of --help-pass NAME: description, options, statistics, reasons.
[[nodiscard]] std::string passHelpText(const Pass &pass);
/// Returns the text of docs/passes.md.
[[nodiscard]] std::string passesMarkdown();

} // namespace ccgraph
