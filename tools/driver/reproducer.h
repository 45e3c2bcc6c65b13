// Writes a reproducer when a check after a pass fails, which is always a defect of ccgraph.
//
// The graph is written as it was read, with its groups, to the file of --reproducer, else to a new file in the system's
// temporary folder that other users cannot read. The command that shows the defect is printed on `err`.
//
// Ownership: none. Failure: never an error, since one was just reported; a file that cannot be written gives a note.
// Cost: reads the input again.
#pragma once

#include "ccgraph/frontend/files.h"
#include "driver/opt_options.h"

namespace ccgraph::driver {

/// `input` is the file that was read and is still open, since standard input cannot be read twice.
void writeReproducer(const OptOptions &options, const InputFile &input, const PassFailure &failure,
                     llvm::raw_ostream &err);

} // namespace ccgraph::driver
