// Writes a machine with linear rules as a file that readMachineFile (machine_file.h) reads: the numbers of its
// collectives, and the name of the preset that states all others.
//
// Ownership: borrows the machine. Failure: none; the stream keeps the system's error. Cost: a few lines.
#pragma once

#include "ccgraph/ir/machine.h"

#include "llvm/Support/raw_ostream.h"

namespace ccgraph {

struct LinearMachineText {
  const Machine &machine;
  llvm::StringRef base;  ///< a preset
  bool hasInter = false; ///< the link across nodes is written too
};
void writeLinearMachine(llvm::raw_ostream &os, const LinearMachineText &text);

} // namespace ccgraph
