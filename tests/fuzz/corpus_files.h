// CorpusFiles: the small files of this project's tests, by what they are: what the fuzzer damages.
//
// Ownership: plain values, in the order of their paths. Failure: a folder that is not there has no files. Cost: one walk a call.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace ccgraph::test {

/// Contents of the files of at most `largest` bytes below tests/data with this ending; every `step`-th of them.
[[nodiscard]] std::vector<std::string> dataFiles(llvm::StringRef ending, size_t largest, size_t step = 1);
/// Files that the cases of tests/diagnostics hold, as they are written, whose text `accept` takes.
[[nodiscard]] std::vector<std::string> caseFiles(llvm::function_ref<bool(llvm::StringRef)> accept);
/// A section of every golden.
[[nodiscard]] std::vector<std::string> goldenSections(llvm::StringRef section);

} // namespace ccgraph::test
