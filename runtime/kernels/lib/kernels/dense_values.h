// Dense values: all elements of a tensor as row-major doubles, for operators that read and write elements far apart.
//
// Ownership: results are new tensors. Nothing here fails, given as many values as the sizes have elements. Cost: linear
// in the elements, 8 bytes each.
#pragma once

#include "kernels/kernel_args.h"
#include "tensor/elements.h"

namespace ccgraph::runtime {

using Values = Scratch<double>;

/// Returns a row-major tensor of the values, rounded to `dtype`.
[[nodiscard]] Tensor tensorOf(const Values &values, DType dtype, IntListRef sizes);
[[nodiscard]] Tensor tensorOf(llvm::ArrayRef<int64_t> values, DType dtype, IntListRef sizes);
/// The same with the layout that these tensors suggest: channels-last where all of them are so, else row-major.
[[nodiscard]] Tensor tensorOf(const Values &values, DType dtype, IntListRef sizes, llvm::ArrayRef<Tensor> likes);

/// One number for each of the last `rank` dimensions, or one for all; `otherwise` where the list is left out or empty.
[[nodiscard]] IntList perDimension(KernelArgs &args, unsigned index, size_t rank, IntListRef otherwise);

} // namespace ccgraph::runtime
