#include "calls/gpu_module.h"

#include "process/loaded_module.h"

namespace ccgraph::runtime {

llvm::Expected<GpuModule *> loadGpuModule() {
  return loadModule<GpuModuleEntry>({"libccgraph_nccl.so", "ccgraphGpuModule", ModuleSymbols::Own, "engine nccl",
                                     "install the CUDA toolkit and NCCL, configure with -DCCGRAPH_NCCL=ON and "
                                     "build again; --engine nccl-recorded shows its calls without them"},
                                    GpuCalls::version);
}

} // namespace ccgraph::runtime
