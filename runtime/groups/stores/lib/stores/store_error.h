// The errors of stores: DiagnosticErrors whose rules store.h lists.
//
// Ownership: none. Failure: none. Cost: that of the texts.
#pragma once

#include "ccgraph/ir/diagnostic.h"

#include <chrono>

namespace ccgraph::runtime {

[[nodiscard]] llvm::Error storeError(llvm::StringRef rule, std::string message, std::string repair = "");
/// The rule of the error's first diagnostic; "" for other errors.
[[nodiscard]] std::string ruleOf(const llvm::Error &error);
/// Returns the message of the first diagnostic, without place and rule, and consumes the error.
[[nodiscard]] std::string messageOf(llvm::Error error);
/// The error of lists of keys and values that have different lengths; success where they fit.
[[nodiscard]] llvm::Error checkPairs(size_t keys, size_t values);
/// The error of a pop that does not wait.
[[nodiscard]] llvm::Error emptyQueue(llvm::StringRef queue);
/// "a, b": at most ten keys, then "and N more".
[[nodiscard]] std::string keysText(llvm::ArrayRef<std::string> keys, llvm::StringRef before = "");

} // namespace ccgraph::runtime
