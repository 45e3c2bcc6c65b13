// StepPlace: which step of which rank an error is about.
//
// Plain value; refers to the plan's Context. Cost: none until an error is made.
#pragma once

#include "collectives/launch.h"

namespace ccgraph::runtime {

struct StepPlace {
  int64_t rank = 0;
  /// of the node from which the step was lowered, or of the input
  Identifier name;

  /// "NAME: rank 1: MESSAGE [RULE]", with the repair as a note.
  [[nodiscard]] llvm::Error error(llvm::StringRef rule, const std::string &message, std::string repair = "") const;
  /// Returns run.memory, where `asked` is more than the limit (withinMemory).
  [[nodiscard]] llvm::Error outOfMemory(const std::string &asked) const;
};

} // namespace ccgraph::runtime
