// Checks output paths: each output must have a file of its own, different from every input.
//
// If two outputs had one path, only the last one would remain; an output over an input would destroy the input of the
// run. Two paths are one file if the system reports so (hard links, symbolic links, "./a" and "a"), or if a file that
// does not exist yet would be the same file. Devices and pipes accept any number of outputs; standard output accepts
// one.
//
// Ownership: borrows. Failure: a usage error that names both flags and the path. Cost: a query of the file system for
// each pair.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace ccgraph::driver {

/// A file as the command line names it; an empty path means that it was not given.
struct NamedPath {
  std::string flag; ///< "-o", "--report", or "GRAPH"
  std::string path;
};

[[nodiscard]] llvm::Error checkOutputPaths(llvm::ArrayRef<NamedPath> outputs, llvm::ArrayRef<NamedPath> inputs);

} // namespace ccgraph::driver
