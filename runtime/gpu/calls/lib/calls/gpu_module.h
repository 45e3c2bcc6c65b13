// GpuModule: the interface of the module that calls the vendor's libraries.
//
// The module is a library of its own (runtime/gpu/nccl/module), loaded when the nccl engine is first asked for: so
// nothing else needs a driver, or waits until one is loaded.
//
// Ownership: the module stays until the process ends, and its calls as long. Failure: none in place(), which lists what
// is available. Cost: that of the libraries.
#pragma once

#include "calls/gpu_calls.h"

#include "llvm/Support/Error.h"

namespace ccgraph::runtime {

/// The libraries and devices of this machine, in the libraries' own numbers: 13000 is CUDA 13.0, 22809 NCCL 2.28.9.
struct GpuPlace {
  /// the version that the driver can run; 0: there is no driver
  int driver = 0;
  /// what the module was built with
  int toolkit = 0;
  int devices = 0;
  /// why there are no devices, in the words of the library
  std::string why;
  /// of what communicates: the one that is loaded, and the one that the module was built for
  int library = 0;
  int builtFor = 0;
};

class GpuModule {
public:
  virtual ~GpuModule() = default;
  [[nodiscard]] virtual GpuPlace place() = 0;
  /// This thread's device from now on. Gives a code of calls().
  virtual int use(int device) = 0;
  [[nodiscard]] virtual GpuCalls &calls() = 0;
};

/// The function that the module exports as `ccgraphGpuModule`: returns null where its version is not this one,
/// GpuCalls::version.
using GpuModuleEntry = GpuModule *(*)(int version);

/// Finds and loads the module. Fails where there is none, or it is of another build; the error explains how to get it.
[[nodiscard]] llvm::Expected<GpuModule *> loadGpuModule();

} // namespace ccgraph::runtime
