// Modules: libraries of this project that are loaded when they are first needed, because what they need in turn is large, or
// may not be there.
//
// A module stands in ../lib/ccgraph beside the program, in ccgraph beside our own library, or where the system looks for libraries.
//
// Ownership: a module stays loaded. Failure: an error that says what the loader said. Cost: that of loading it.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace ccgraph::runtime {

/// Whom the module's symbols are for: itself, or whatever the libraries that it brings load in their turn.
enum class ModuleSymbols : uint8_t { Own, Global };

/// The address of a symbol of a module: findInModule("libccgraph_mpi.so", "ccgraphMpiCalls", ModuleSymbols::Global).
[[nodiscard]] llvm::Expected<void *> findInModule(const char *module, const char *symbol, ModuleSymbols symbols);

} // namespace ccgraph::runtime
