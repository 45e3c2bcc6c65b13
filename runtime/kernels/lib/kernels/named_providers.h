// NamedProviders: the kernel providers that a request names, each checked to exist and to be available on this machine.
//
// Ownership: refers to providers, which live until the program ends. Failure: rule run.request. Cost: a look-up of each
// name, and what a provider's checkAvailable() takes: that of torch loads PyTorch.
#pragma once

#include "ccgraph/runtime/kernel_provider.h"

namespace ccgraph::runtime {

/// In the order of the names.
[[nodiscard]] llvm::Expected<std::vector<const KernelProvider *>> namedProviders(llvm::ArrayRef<std::string> names);
/// A provider's error as rule run.request: its first line is the message, its notes tell the repair.
[[nodiscard]] llvm::Error unavailable(llvm::Error error);

} // namespace ccgraph::runtime
