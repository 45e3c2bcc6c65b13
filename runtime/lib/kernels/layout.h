// Memory formats: which strides a new tensor gets from the one that it is made like.
//
// Ownership: results own new memory. Failure: through KernelArgs; formats other than preserve and contiguous are refused,
// because no rank-agnostic rule for them exists. Cost: linear in the elements allocated.
#pragma once

#include "kernels/kernel_args.h"

namespace ccgraph::runtime {

/// Zeros with `self`'s sizes; argument `formatIndex` is a memory format, preserve_format where left out.
[[nodiscard]] Tensor emptyLike(KernelArgs &args, const Tensor &self, DType dtype, unsigned formatIndex);
/// A copy of `self` in new memory, converted, laid out by argument `formatIndex`.
[[nodiscard]] Tensor cloneAs(KernelArgs &args, const Tensor &self, DType dtype, unsigned formatIndex);
/// Every element becomes the number or 0-d tensor, converted to the tensor's dtype.
void fill(KernelArgs &args, const Tensor &self, const Tensor &value);

} // namespace ccgraph::runtime
