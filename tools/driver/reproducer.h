// Reproducers: what is written when a check after a pass fails, which is always a defect of
// ours.
//
// Writes the graph as it was read, with its groups, to the file of --reproducer, or into a new file of the
// system's folder for temporary files that other users cannot read, and the command that shows the defect to `err`.
//
// Ownership: none. Failure: never an error of its own, since one was just reported: what keeps the
// file from being written is a note. Cost: reads the input again.
#pragma once

#include "ccgraph/frontend/files.h"
#include "driver/opt_options.h"

namespace ccgraph::driver {

/// `input` is the file that was read, still open, since standard input cannot be read twice.
void writeReproducer(const OptOptions &options, const InputFile &input, const PassFailure &failure,
                     llvm::raw_ostream &err);

} // namespace ccgraph::driver
