// Prints arguments in Python's form: the text between the parentheses of a call.
//
//   x, [4, 4], dtype = torch.float32, alpha = 2.0
//
// Ownership: borrows; the caller writes the names of operands. Failure: none. Cost: linear in the trees.
#pragma once

#include "ccgraph/ir/argument.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph::fx {

/// Writes the operand of this index.
using OperandPrinter = llvm::function_ref<void(uint32_t index)>;

void printArgument(llvm::raw_ostream &os, const Argument &argument, OperandPrinter operand);
/// Prints positional and keyword arguments.
void printArguments(llvm::raw_ostream &os, llvm::ArrayRef<Argument> args, llvm::ArrayRef<NamedArgument> kwargs,
                    OperandPrinter operand);

} // namespace ccgraph::fx
