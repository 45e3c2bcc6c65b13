// Where a tool's result and its messages go; tests give their own.
#pragma once

#include "llvm/Support/raw_ostream.h"

namespace ccgraph::driver {

struct Streams {
  llvm::raw_ostream &out;
  llvm::raw_ostream &err;
};

} // namespace ccgraph::driver
