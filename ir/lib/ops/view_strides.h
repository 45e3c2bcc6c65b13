// When is a new shape a view? PyTorch's answer, from sizes and strides alone.
//
// A reshape shares storage where every new dimension runs through one stretch of memory with a constant step: old
// dimensions are grouped into maximal chunks that are contiguous among themselves (stride[i] = size[i+1] *
// stride[i+1]), and new dimensions must fill chunks exactly. The rule is that of aten/src/ATen/TensorUtils.cpp
// (computeStride), so that what shares storage here is what shares it in PyTorch.
//
// Ownership: results are values. Nothing fails: where sizes or strides are not numbers the answer is
// empty or Sharing::Unknown. Cost: linear in the numbers of dimensions.
#pragma once

#include "ccgraph/ir/op_def.h"

namespace ccgraph {

/// Strides of a view of `from` with sizes `to`, all static and of equal element count; empty if only a copy has that
/// shape.
[[nodiscard]] std::optional<llvm::SmallVector<int64_t, 6>> viewStrides(const Type &from, llvm::ArrayRef<int64_t> to);

/// The sizes, if all are numbers.
[[nodiscard]] std::optional<llvm::SmallVector<int64_t, 6>> staticDims(llvm::ArrayRef<Dim> dims);

/// Is the first operand of this reshape shared by its result?
[[nodiscard]] Sharing reshapeSharing(const Node &node);
/// The same of contiguous().
[[nodiscard]] Sharing contiguousSharing(const Node &node);
/// The same of to(), type_as() and device_put(): no copy where dtype, device and layout stay, unless one is asked for.
[[nodiscard]] Sharing castSharing(const Node &node);

} // namespace ccgraph
