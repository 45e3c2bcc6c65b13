// Streams holds the two streams for a tool's result and its messages.
//
// Results go to `out`, so that they can be piped; diagnostics, remarks and progress go to `err`. A main function passes
// standard output and standard error; tests pass strings.
//
// Ownership: borrows both, which must outlive the call. Failure and cost: those of the streams.
#pragma once

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::driver {

struct Streams {
  llvm::raw_ostream &out;
  llvm::raw_ostream &err;
};

} // namespace ccgraph::driver
