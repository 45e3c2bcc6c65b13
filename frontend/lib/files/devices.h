// Devices: files that may have no end.
//
// /dev/zero yields bytes without end, and these are never a graph. Pipes, terminals and /dev/null end, so they are
// read.
//
// Failure: endlessError names the file and the input to give instead. Cost: one system call.
#pragma once

#include "ccgraph/ir/diagnostic.h"

#include "llvm/Support/FileSystem.h"

namespace ccgraph {

/// Returns true for a character or block device that is neither a terminal nor /dev/null.
[[nodiscard]] bool isEndless(llvm::sys::fs::file_t file);
[[nodiscard]] llvm::Error endlessError(llvm::StringRef name);

} // namespace ccgraph
