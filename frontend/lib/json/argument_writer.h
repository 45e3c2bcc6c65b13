// Writes argument trees as argument_reader.h reads them, in the canonical spelling: one blank
// after ',' and ':', the shortest float, only what is there. The spelling is a function of the
// tree alone: writing what was read of canonical text gives the same bytes.
//
// Ownership: borrows; what an operand is called is asked of the caller. Failure: none; the stream
// keeps what the system said. Cost: linear in the tree.
#pragma once

#include "ccgraph/ir/argument.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

/// Writes what stands for the operand of this index, quoted: "%name".
using OperandWriter = llvm::function_ref<void(uint32_t index)>;

void writeJsonArgument(llvm::raw_ostream &os, const Argument &argument, OperandWriter operand);
/// The array of args.
void writeJsonArguments(llvm::raw_ostream &os, llvm::ArrayRef<Argument> arguments, OperandWriter operand);
/// The object of kwargs or of a dict.
void writeJsonNamed(llvm::raw_ostream &os, llvm::ArrayRef<NamedArgument> entries, OperandWriter operand);
/// A one-key object: {"sym": "s0 + 1"}.
void writeJsonTagged(llvm::raw_ostream &os, llvm::StringRef tag, llvm::StringRef text);

} // namespace ccgraph
