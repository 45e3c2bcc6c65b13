// Writes argument trees as argument_reader.h reads them, in the canonical spelling: one blank
// after ',' and ':', the shortest float, only what is there. The spelling is a function of the
// tree alone: writing what was read of canonical text gives the same bytes.
//
// Ownership: borrows; an operand is written by the name of the node that it means now. Failure:
// none; the stream keeps what the system said. Cost: linear in the tree, no allocation for names
// that are plain identifiers.
#pragma once

#include "ccgraph/ir/node.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

void writeJsonArgument(llvm::raw_ostream &os, const Node &node, const Argument &argument);
void writeJsonArguments(llvm::raw_ostream &os, const Node &node, llvm::ArrayRef<Argument> arguments);
/// The object of kwargs or of a dict.
void writeJsonNamed(llvm::raw_ostream &os, const Node &node, llvm::ArrayRef<NamedArgument> entries);
/// "%name", quoted.
void writeJsonReference(llvm::raw_ostream &os, const Node &node);

} // namespace ccgraph
