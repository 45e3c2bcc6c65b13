// CallSite: one call of an operator on one rank: arguments are evaluated and in the schema's order.
//
// Every form of a communication operator and every random operator reads its arguments through it, by the parameter's
// index in the schema, so keywords and defaults are handled once.
//
// Ownership: borrows the node, if there is one: a step of a plan has none, only its name. Failure: reading an argument
// of another kind than expected is a DiagnosticError with got and expected. Cost: O(1) a lookup.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/op_def.h"
#include "ccgraph/runtime/value.h"

namespace ccgraph::runtime {

struct CallSite {
  const OpDef *op = nullptr;
  /// what the call is named: its node's name
  Identifier name;
  /// null for a step of a plan; gives an error its place in the source
  const Node *node = nullptr;
  int64_t rank = 0;
  /// by schema parameter; empty where left out
  std::vector<std::optional<Value>> arguments;

  /// Null where the argument is left out or `parameter` is -1.
  [[nodiscard]] const Value *argument(int parameter) const;
  /// An integer that must be there.
  [[nodiscard]] llvm::Expected<int64_t> integer(int parameter) const;
  /// Returns an empty list for None and for a missing argument.
  [[nodiscard]] llvm::Expected<std::vector<int64_t>> integers(int parameter) const;

  /// "argument 1 (reduce_op): got 3, expected a string".
  [[nodiscard]] llvm::Error wrongArgument(int parameter, llvm::StringRef expected) const;
  /// An error of rule `run.collective` about this call.
  [[nodiscard]] llvm::Error error(const std::string &message, std::string repair = "") const;
};

} // namespace ccgraph::runtime
