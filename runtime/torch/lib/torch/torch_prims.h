// Kernels of prims.*, which PyTorch writes in Python: each calls the operators that the Python calls, in its order. On
// a device only those that call one.
//
// Ownership: kernels refer to those that they call, which live on. Failure: none here; a kernel fails as what it calls
// does. Cost: that of the operators called, each of which but the last makes a tensor of its own.
#pragma once

#include "ccgraph/runtime/kernel_provider.h"

#include "llvm/ADT/STLExtras.h"

#include <memory>

namespace ccgraph::runtime {

/// Returns null where `target` is not a supported prim, or `find` lacks an operator that it calls.
[[nodiscard]] std::unique_ptr<ProvidedKernel>
makePrimKernel(llvm::StringRef target, llvm::function_ref<const ProvidedKernel *(llvm::StringRef)> find);

} // namespace ccgraph::runtime
