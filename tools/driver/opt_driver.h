// Provides ccgraph-opt as a function, so that tests run the same code as the tool.
//
// It reads and verifies the graph, runs the pipeline with its checks, proves equivalence if requested, writes the
// results, and prints a summary. Results go to `out` or to the file that the options name; everything else goes to
// `err`. A graph is written only if every requested check holds.
//
// Ownership: borrows arguments and streams for the call. Failure: an exit code of command_line.h, with diagnostics on
// `err`. A failed check after a pass is a defect of ccgraph, and leaves a reproducer in the working directory. Cost:
// that of reading, of the pipeline with its checks (pass_manager.h) and of writing.
#pragma once

#include "driver/command_line.h"
#include "driver/streams.h"

namespace ccgraph::driver {

[[nodiscard]] ExitCode optMain(llvm::ArrayRef<const char *> arguments, Streams streams);

} // namespace ccgraph::driver
