// The engine's own kernels: computations about tensors, not on their elements, which do not depend on a provider.
//
// These are Python's arithmetic on numbers and sizes, sizes themselves, item(), checks, marks of the profiler, and how
// Inductor packs buckets. A provider that has such an operator takes precedence. On tensors, an operator of Python
// means one of PyTorch's, which providers compute: operator.mul of two tensors is aten.mul.Tensor.
//
// Ownership: kernels live until the program ends. Failure: none. Cost: a few lookups a call; used once a step, when a
// plan is prepared.
#pragma once

#include "ccgraph/ir/plan.h"
#include "ccgraph/runtime/kernel_provider.h"

namespace ccgraph::runtime {

/// Returns the operator whose kernel the step needs.
[[nodiscard]] std::string kernelTarget(const KernelStep &step);
/// Null where the engine has none.
[[nodiscard]] const ProvidedKernel *findOwnKernel(llvm::StringRef target);

} // namespace ccgraph::runtime
