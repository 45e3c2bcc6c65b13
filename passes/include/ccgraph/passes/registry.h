// The registry: every pass that there is, in one sorted list, and what help and docs say of each.
//
// Adding a pass is its own file and its line in passes/lib/manager/registry.cpp; the build finds
// the file by itself.
//
// Ownership: createPass gives a new pass each time. Failure: an unknown name gives null; nothing
// else can fail. All texts end in a newline. Cost: making a pass is a few allocations; a name is
// searched in a list of a handful.
#pragma once

#include "ccgraph/passes/pass.h"

#include <memory>

namespace ccgraph {

/// Names of all passes, sorted.
[[nodiscard]] std::vector<llvm::StringRef> passNames();
/// A pass with default options; null if there is none of this name.
[[nodiscard]] std::unique_ptr<Pass> createPass(llvm::StringRef name);
/// The known word that is nearest to `word` by edit distance, the first of equals; empty if none is
/// near enough to be meant: more than a third of its letters, plus one, would have to change.
[[nodiscard]] std::string nearestWord(llvm::StringRef word, llvm::ArrayRef<std::string> known);

/// --list-passes: a line a pass.
[[nodiscard]] std::string passListText();
/// --help-pass NAME: description, options, statistics, reasons.
[[nodiscard]] std::string passHelpText(const Pass &pass);
/// docs/passes.md, whole.
[[nodiscard]] std::string passesMarkdown();

} // namespace ccgraph
