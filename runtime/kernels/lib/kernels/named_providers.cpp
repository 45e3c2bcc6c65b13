#include "kernels/named_providers.h"

#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::runtime {

llvm::Error unavailable(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  auto [message, note] = llvm::StringRef(text).split("\n  note: ");
  return makeError(diagnose("run.request", message.str(), note.str()));
}

static llvm::Error unknownProvider(llvm::StringRef name) {
  return makeError(diagnose("run.request", "kernels: got '" + name.str() +
                                               "', expected one of: " + llvm::join(kernelProviderNames(), ", ")));
}

llvm::Expected<std::vector<const KernelProvider *>> namedProviders(llvm::ArrayRef<std::string> names) {
  std::vector<const KernelProvider *> providers;
  for (const std::string &name : names) {
    const KernelProvider *provider = findKernelProvider(name);
    if (!provider)
      return unknownProvider(name);
    if (llvm::Error error = provider->checkAvailable())
      return unavailable(std::move(error));
    providers.push_back(provider);
  }
  return providers;
}

} // namespace ccgraph::runtime
