// Streams: where a tool's result and its messages go.
//
// Results go to `out`, so that they can be piped; everything else, diagnostics, remarks, progress, to `err`. Mains give
// standard output and standard error, tests give strings.
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
