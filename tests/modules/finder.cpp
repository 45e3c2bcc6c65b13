#include "process/loaded_module.h"

/// Returns true if the module is found and has the symbol `sample`.
extern "C" bool findSample(const char *module) {
  llvm::Expected<void *> found = ccgraph::runtime::findInModule(module, "sample", ccgraph::runtime::ModuleSymbols::Own);
  if (!found)
    llvm::consumeError(found.takeError());
  return static_cast<bool>(found);
}
