// refusal returns an error about the numbers from which a program is generated.
//
// Ownership: the caller owns the error. Failure: none. Cost: none.
#pragma once

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph::models {

[[nodiscard]] inline llvm::Error refusal(llvm::StringRef rule, llvm::StringRef where, std::string message,
                                         std::string repair) {
  Diagnostic diagnostic = diagnose(rule, std::move(message), std::move(repair));
  diagnostic.where = where.str();
  return makeError(std::move(diagnostic));
}

} // namespace ccgraph::models
