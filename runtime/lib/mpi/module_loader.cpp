#include "mpi/module_loader.h"

#include "loaded_module.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {

static llvm::Error missing(const llvm::Twine &why) {
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "engine mpi cannot start: " + why +
          "\n  note: install Open MPI (apt-get install libopenmpi-dev openmpi-bin), configure "
          "with -DCCGRAPH_MPI=ON and build again");
}

llvm::Expected<MpiCalls *> loadMpiModule() {
  // Global, because the components that MPI loads look for MPI's own symbols among the global ones.
  llvm::Expected<void *> entry = findInModule("libccgraph_mpi.so", "ccgraphMpiCalls", ModuleSymbols::Global);
  if (!entry)
    return missing(llvm::toString(entry.takeError()));
  MpiCalls *calls = reinterpret_cast<MpiModuleEntry>(*entry)(MpiCalls::version);
  if (!calls)
    return missing("its module is of another build than this program");
  return calls;
}

} // namespace ccgraph::runtime
