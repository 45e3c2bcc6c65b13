// Output paths: what a run writes lies apart from what it reads, and each output has a file of its own.
//
// Two outputs of one path would leave the one that was written last, and an output over an input would take away what the run was made of.
// Two paths are one file where the system says so (hard links, symbolic links, "./a" and "a"), and where a file that is not there yet would be
// one. Devices and pipes take any number of outputs; standard output takes one.
//
// Ownership: borrows. Failure: an error of usage that names both flags and the path. Cost: a look at the file system for each pair.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace ccgraph::driver {

/// A file as the command line names it; an empty path: not given.
struct NamedPath {
  std::string flag; ///< "-o", "--report", or "GRAPH"
  std::string path;
};

[[nodiscard]] llvm::Error checkOutputPaths(llvm::ArrayRef<NamedPath> outputs, llvm::ArrayRef<NamedPath> inputs);

} // namespace ccgraph::driver
