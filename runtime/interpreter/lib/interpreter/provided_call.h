// Provided calls: operators that no builtin kernel computes, computed by the kernels of the providers that a request
// names.
//
// A provider is called as engines call it (ccgraph/runtime/kernel_provider.h): arguments by position, None where the
// call leaves one out, and results in memory of their own. An in-place operator yields the tensor object that it was
// given, as in PyTorch.
//
// Ownership: refers to providers, which live until the program ends. Failure: the kernel's own error, or arguments that
// its parameters do not have. Cost: a look-up in each provider, and the kernel.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/runtime/kernel_provider.h"
#include "ccgraph/runtime/kernels.h"

namespace ccgraph::runtime {

using Providers = std::vector<const KernelProvider *>;

/// Of the first provider that has one on the host; null where none has.
[[nodiscard]] const ProvidedKernel *findProvided(const Providers &providers, llvm::StringRef target);
[[nodiscard]] llvm::Expected<Value> callProvided(const ProvidedKernel &kernel, const Node &node, KernelCall call);

} // namespace ccgraph::runtime
