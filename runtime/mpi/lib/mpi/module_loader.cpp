#include "mpi/module_loader.h"

#include "process/loaded_module.h"

namespace ccgraph::runtime {

llvm::Expected<MpiCalls *> loadMpiModule() {
  // Global, because the components that MPI loads look for MPI's own symbols among the global ones.
  return loadModule<MpiModuleEntry>({"libccgraph_mpi.so", "ccgraphMpiCalls", ModuleSymbols::Global, "engine mpi",
                                     "install Open MPI (apt-get install libopenmpi-dev openmpi-bin), configure "
                                     "with -DCCGRAPH_MPI=ON and build again"},
                                    MpiCalls::version);
}

} // namespace ccgraph::runtime
