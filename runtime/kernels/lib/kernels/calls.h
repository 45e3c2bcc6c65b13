// Calls of one operator's kernel from another's, for kernels that are composed of kernels.
//
// Ownership: as the called kernel's results. Failure: a call that fails is the caller's failure, its message kept; the
// result is then None, and tensors taken from it are empty. Cost: a search of the registry (a few hundred nanoseconds)
// a call.
#pragma once

#include "kernels/kernel_args.h"

namespace ccgraph::runtime {

/// runKernel() for a caller that catches OutOfMemory for the whole run.
[[nodiscard]] llvm::Expected<Value> callWithinRun(const Kernel &kernel, KernelCall call,
                                                  Destinations destinations = {});
/// Runs `target`'s kernel on these arguments. Does nothing where `args` has failed already.
Value callKernel(KernelArgs &args, llvm::StringRef target, Value::List positional);
/// Calls an operator whose result is one tensor.
[[nodiscard]] Tensor callForTensor(KernelArgs &args, llvm::StringRef target, Value::List positional);

/// A list of integers as a value.
[[nodiscard]] Value listOf(IntListRef integers);

} // namespace ccgraph::runtime
