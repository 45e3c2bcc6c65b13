// refusal: an error of what a program was to be generated from.
//
// Ownership: the caller's. Failure: it is one. Cost: none.
#pragma once

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph::models {

[[nodiscard]] inline llvm::Error refusal(llvm::StringRef rule, llvm::StringRef where, std::string message,
                                         std::string repair) {
  Diagnostic diagnostic;
  diagnostic.rule = rule.str();
  diagnostic.where = where.str();
  diagnostic.message = std::move(message);
  diagnostic.notes.push_back(std::move(repair));
  return makeError(std::move(diagnostic));
}

} // namespace ccgraph::models
