#include "devices.h"

#include <c10/util/Exception.h>

namespace ccgraph::runtime::devices {

// Recorded runs, which simulate a device, use the CPU's kernels.
c10::DispatchKey dispatchKey() { return c10::DispatchKey::CPU; }

std::string problem() {
  return "got a module that was built without CUDA, expected one with it\n"
         "configure with a PyTorch whose wheel is built for CUDA (-DCCGRAPH_TORCH_PYTHON=PATH) where the headers of "
         "the CUDA "
         "toolkit are, and build again; the line 'PyTorch:' of the configuration reports what it found";
}

c10::Device deviceOf(uintptr_t) { TORCH_CHECK(false, problem()); }
std::shared_ptr<void> enterStream(uintptr_t) { TORCH_CHECK(false, problem()); }
std::unique_ptr<TorchPool> openPool(uintptr_t) { TORCH_CHECK(false, problem()); }

} // namespace ccgraph::runtime::devices
