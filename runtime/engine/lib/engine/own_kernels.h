// The engine's own kernels: what is computed about tensors and not with them, and so is no provider's business.
//
// These are Python's arithmetic on numbers and sizes, sizes themselves, item(), checks, marks of the profiler, and how Inductor packs
// buckets. A provider that has such an operator is asked first. On tensors an operator of Python means one of PyTorch's,
// which providers are asked for: operator.mul of two tensors is aten.mul.Tensor.
//
// Ownership: kernels live until the program ends. Failure: none. Cost: a few look-ups a call; asked once a step, when a plan is prepared.
#pragma once

#include "ccgraph/ir/plan.h"
#include "ccgraph/runtime/kernel_provider.h"

namespace ccgraph::runtime {

/// Of which operator the step wants a kernel.
[[nodiscard]] std::string kernelTarget(const KernelStep &step);
/// Null where the engine has none.
[[nodiscard]] const ProvidedKernel *findOwnKernel(llvm::StringRef target);

} // namespace ccgraph::runtime
