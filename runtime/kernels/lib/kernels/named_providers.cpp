#include "kernels/named_providers.h"

#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph::runtime {

llvm::Error unavailable(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  auto [message, note] = llvm::StringRef(text).split("\n  note: ");
  Diagnostic diagnostic;
  diagnostic.rule = "run.request";
  diagnostic.message = message.str();
  if (!note.empty())
    diagnostic.notes.push_back(note.str());
  return makeError(std::move(diagnostic));
}

static llvm::Error unknownProvider(llvm::StringRef name) {
  Diagnostic diagnostic;
  diagnostic.rule = "run.request";
  diagnostic.message = "kernels: got '" + name.str() + "', expected one of: " + llvm::join(kernelProviderNames(), ", ");
  return makeError(std::move(diagnostic));
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
