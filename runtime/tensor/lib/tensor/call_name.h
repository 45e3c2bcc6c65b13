// CallName: the name of one call of an operator in diagnostics.
//
// The interpreter executes nodes, and engines execute steps of a plan, which have a name and no node. A diagnostic of
// either reads alike.
//
// Ownership: borrows the node. Failure: none. Cost: none until a diagnostic is made.
#pragma once

#include "ccgraph/ir/diagnostic.h"

#include <string>

namespace ccgraph::runtime {

struct CallName {
  /// Null for a step of a plan. A diagnostic takes the place in the source from it.
  const Node *node = nullptr;
  /// The name of the node, or of the node from which the step was made.
  Identifier name;
};
/// Returns diagnose() of the node, or the same diagnostic with the name alone.
[[nodiscard]] Diagnostic diagnoseCall(const CallName &call, llvm::StringRef rule, std::string message,
                                      std::string repair = "");

} // namespace ccgraph::runtime
