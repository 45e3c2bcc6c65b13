#include "nccl/gpu_module.h"

#include "loaded_module.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {

static llvm::Error missing(const llvm::Twine &why) {
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "engine nccl cannot start: " + why +
          "\n  note: install the CUDA toolkit and NCCL, configure with -DCCGRAPH_NCCL=ON and "
          "build again; --engine nccl-recorded shows its calls without them");
}

llvm::Expected<GpuModule *> loadGpuModule() {
  llvm::Expected<void *> entry = findInModule("libccgraph_nccl.so", "ccgraphGpuModule", ModuleSymbols::Own);
  if (!entry)
    return missing(llvm::toString(entry.takeError()));
  GpuModule *module = reinterpret_cast<GpuModuleEntry>(*entry)(GpuCalls::version);
  if (!module)
    return missing("its module is of another build than this program");
  return module;
}

} // namespace ccgraph::runtime
