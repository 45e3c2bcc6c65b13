// Writes the files that ccgraph-check is asked for.
//
// Ownership: borrows everything for the call. Failure: the error of the file system. Cost: that of what is written.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace ccgraph::driver {

/// Writes to the file, or to `out` for "-"; nothing for an empty path.
[[nodiscard]] llvm::Error writeTo(const std::string &path, llvm::raw_ostream &out,
                                  llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace ccgraph::driver
