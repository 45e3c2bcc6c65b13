// Reproducers: what is left behind when a check after a pass fails, which is always a defect of
// ours.
//
// Writes `ccgraph-reproducer.json`, the graph as it was read with its groups, into the working
// directory, and the command that shows the defect to `err`. A graph from standard input cannot be
// read again: then only a note says how to get a reproducer.
//
// Ownership: none. Failure: what keeps it from being written is said on `err`; nothing else can be
// done then. Cost: reads the input again.
#pragma once

#include "driver/opt_options.h"

namespace ccgraph::driver {

void writeReproducer(const OptOptions &options, const PassFailure &failure, llvm::raw_ostream &err);

} // namespace ccgraph::driver
