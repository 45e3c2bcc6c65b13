// Collects the small files of this project's tests by kind, as input for the fuzzer.
//
// Ownership: plain values, in the order of their paths. Failure: a missing folder has no files. Cost: reads the folders
// once for each call.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace ccgraph::test {

/// Returns the contents of every `step`-th file below tests/data with this ending and at most `largest` bytes.
[[nodiscard]] std::vector<std::string> dataFiles(llvm::StringRef ending, size_t largest, size_t step = 1);
/// Returns the files in the cases of tests/diagnostics whose text `accept` accepts, unchanged.
[[nodiscard]] std::vector<std::string> caseFiles(llvm::function_ref<bool(llvm::StringRef)> accept);
/// Returns the files of one folder of tests/fuzz/seeds.
[[nodiscard]] std::vector<std::string> seedFiles(llvm::StringRef folder);
/// Returns one section of every golden.
[[nodiscard]] std::vector<std::string> goldenSections(llvm::StringRef section);

} // namespace ccgraph::test
