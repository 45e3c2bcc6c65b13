// Memory formats: the strides of a new tensor that is made like another one.
//
// Ownership: results are in the memory of KernelArgs, or in new memory. Failure: through KernelArgs; channels-last of
// five dimensions is rejected, because no captured graph uses it. Cost: linear in the elements allocated.
#pragma once

#include "kernels/kernel_args.h"

namespace ccgraph::runtime {

/// Strides for a new tensor beside `likes`: channels-last if the strides of all of them hint at it,
/// as torch's suggest_memory_format guesses.
[[nodiscard]] IntList suggestedStrides(IntListRef sizes, llvm::ArrayRef<Tensor> likes);

/// The result of an operator with `self`'s sizes, not yet written; argument `formatIndex` is a memory format,
/// preserve_format where left out.
[[nodiscard]] Tensor emptyLike(KernelArgs &args, const Tensor &self, DType dtype, unsigned formatIndex);
/// `self`'s elements as the operator's result.
[[nodiscard]] Tensor copyOf(KernelArgs &args, const Tensor &self, IntListRef strides);
/// The same, converted, and laid out by argument `formatIndex`.
[[nodiscard]] Tensor cloneAs(KernelArgs &args, const Tensor &self, DType dtype, unsigned formatIndex);
/// A copy of the whole storage, seen through the same window: what the scatters of views yield
/// (clone_preserve_strides). A tensor whose elements overlap is cloned.
[[nodiscard]] Tensor cloneWithStrides(const Tensor &self);
/// Every element becomes the number or 0-d tensor, converted to the tensor's dtype.
void fill(KernelArgs &args, const Tensor &self, const Tensor &value);

} // namespace ccgraph::runtime
