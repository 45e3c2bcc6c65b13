// Modules: libraries of this project that are loaded at their first use, because their own dependences are large, or
// may be absent.
//
// A module is searched in ../lib/ccgraph beside the program, in ccgraph beside our own library, and in the system's
// library path; never in the current folder.
//
// Ownership: a module stays loaded. Failure: an error with the loader's message. Cost: that of loading it.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <type_traits>

namespace ccgraph::runtime {

/// Whom the module's symbols are for: itself, or whatever the libraries that it brings load in their turn.
enum class ModuleSymbols : uint8_t { Own, Global };

/// The address of a symbol of a module: findInModule("libccgraph_mpi.so", "ccgraphMpiCalls", ModuleSymbols::Global).
[[nodiscard]] llvm::Expected<void *> findInModule(const char *module, const char *symbol, ModuleSymbols symbols);

/// A module, and the message where it is not available.
struct ModuleSource {
  const char *module;
  /// of a function of the version that yields what the module is for, or null where its own version is another
  const char *entry;
  ModuleSymbols symbols;
  /// the component that needs it: "engine mpi"
  const char *who;
  /// how to get it
  const char *repair;
};

/// "engine mpi cannot start: WHY", and the repair.
[[nodiscard]] llvm::Error cannotStart(const ModuleSource &source, const llvm::Twine &why);

/// Error: there is no such module, or it is of another build.
template <class Entry>
[[nodiscard]] llvm::Expected<std::invoke_result_t<Entry, int>> loadModule(const ModuleSource &source, int version) {
  llvm::Expected<void *> entry = findInModule(source.module, source.entry, source.symbols);
  if (!entry)
    return cannotStart(source, llvm::toString(entry.takeError()));
  auto *made = reinterpret_cast<Entry>(*entry)(version);
  if (!made)
    return cannotStart(source, "its module is of another build than this program");
  return made;
}

} // namespace ccgraph::runtime
