// Devices: files that may have no end.
//
// /dev/zero gives bytes for ever, and nothing of it is a graph. Pipes, terminals and /dev/null end, and are read.
//
// Failure: endlessError says which file and what to give. Cost: one question to the system.
#pragma once

#include "ccgraph/ir/diagnostic.h"

#include "llvm/Support/FileSystem.h"

namespace ccgraph {

/// True of a character or block device that is neither a terminal nor /dev/null.
[[nodiscard]] bool isEndless(llvm::sys::fs::file_t file);
[[nodiscard]] llvm::Error endlessError(llvm::StringRef name);

} // namespace ccgraph
