// Arguments: the value of an argument tree, of a node or of a step of a plan.
//
// Literals are the same everywhere; the caller resolves operands and reports errors.
//
// Ownership: borrows. Failure: the caller's error (rule run.unknown-symbol or run.no-kernel). Cost: linear in the tree.
#pragma once

#include "ccgraph/ir/argument.h"
#include "tensor/symbols.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace ccgraph::runtime {

struct ArgumentReader {
  const Symbols &symbols;
  llvm::function_ref<llvm::Expected<Value>(const Argument &operand)> operand;
  llvm::function_ref<llvm::Error(llvm::StringRef rule, std::string message, std::string repair)> fail;
};

[[nodiscard]] llvm::Expected<Value> evaluate(const Argument &argument, const ArgumentReader &reader);

} // namespace ccgraph::runtime
