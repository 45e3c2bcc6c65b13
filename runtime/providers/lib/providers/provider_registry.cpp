#include "ccgraph/runtime/kernel_provider.h"

#include "cuda/cuda_provider.h"
#include "kernels/builtin_provider.h"
#include "torch/torch_provider.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {

/// Sorted by name.
static std::vector<const KernelProvider *> &providers() {
  static std::vector<const KernelProvider *> all = {&builtinProvider(), &cudaProvider(), &torchProvider()};
  return all;
}

const KernelProvider *findKernelProvider(llvm::StringRef name) {
  for (const KernelProvider *provider : providers())
    if (provider->name() == name)
      return provider;
  return nullptr;
}

std::vector<std::string> kernelProviderNames() {
  std::vector<std::string> names;
  for (const KernelProvider *provider : providers())
    names.push_back(provider->name().str());
  return names;
}

llvm::Error registerKernelProvider(const KernelProvider &provider) {
  if (findKernelProvider(provider.name()))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "kernel provider '" + provider.name() +
                                       "': got a second one of this name, expected a name of its own");
  providers().push_back(&provider);
  llvm::sort(providers(), [](const KernelProvider *a, const KernelProvider *b) { return a->name() < b->name(); });
  return llvm::Error::success();
}

} // namespace ccgraph::runtime
