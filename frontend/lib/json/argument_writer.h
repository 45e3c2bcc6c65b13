// Writes argument trees in the format of argument_reader.h, in canonical form: one blank after ',' and ':', the
// shortest float, no absent parts. The text depends on the tree alone, so reading and writing canonical text yields the
// same bytes.
//
// Ownership: borrows; the caller writes the names of operands. Failure: none; errors of the system stay in the stream.
// Cost: linear in the tree.
#pragma once

#include "ccgraph/ir/argument.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// Writes the quoted reference to the operand of this index: "%name".
using OperandWriter = llvm::function_ref<void(uint32_t index)>;

void writeJsonArgument(llvm::raw_ostream &os, const Argument &argument, OperandWriter operand);
/// Writes the array of args.
void writeJsonArguments(llvm::raw_ostream &os, llvm::ArrayRef<Argument> arguments, OperandWriter operand);
/// Writes the object of kwargs or of a dict.
void writeJsonNamed(llvm::raw_ostream &os, llvm::ArrayRef<NamedArgument> entries, OperandWriter operand);
/// Writes a one-key object: {"sym": "s0 + 1"}.
void writeJsonTagged(llvm::raw_ostream &os, llvm::StringRef tag, llvm::StringRef text);

} // namespace ccgraph
