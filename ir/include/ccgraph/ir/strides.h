// Strides: how a tensor's elements lie in memory, and which layout PyTorch gives to a new tensor or to a view.
//
// PyTorch's rules, each at its function: c10/core/TensorImpl.h and c10/core/MemoryFormat.h (contiguous, dense, channels last),
// aten/src/ATen/TensorIterator.cpp (results of elementwise operators), aten/src/ATen/TensorUtils.cpp (computeStride: views),
// torch/_prims_common (suggested memory formats).
//
// Strides count elements; sizes and strides of one tensor are of one length. Plain functions of values; nothing is owned and
// nothing fails: where a layout does not exist the answer is empty. Cost: linear in the dimensions (denseStridesLike: quadratic).
#pragma once

#include "ccgraph/ir/dims.h"

namespace ccgraph {

// --- What a layout is ---------------------------------------------------------------------------------
/// Row-major without gaps; sizes of 1 put no demand on their stride, and an empty tensor is contiguous.
[[nodiscard]] bool isContiguous(DimsRef sizes, DimsRef strides);
/// Some order of the dimensions is row-major without gaps: each element has memory of its own and none is left over
/// (non_overlapping_and_dense). An empty tensor is dense.
[[nodiscard]] bool isDense(DimsRef sizes, DimsRef strides);
/// [n, c, h, w] stored as [n, h, w, c], or [n, c, d, h, w] as [n, d, h, w, c]; false for other ranks.
[[nodiscard]] bool isChannelsLast(DimsRef sizes, DimsRef strides);
/// Strides rise in the order of channels last, and sizes of 1 do not leave it open (are_strides_like_channels_last).
[[nodiscard]] bool hintsAtChannelsLast(DimsRef sizes, DimsRef strides);
/// Elements from the first to one past the last that a tensor reaches; 0 for an empty one.
[[nodiscard]] int64_t extentOf(DimsRef sizes, DimsRef strides);

// --- New memory ----------------------------------------------------------------------------------------
/// Row-major; a size of 0 counts as 1.
[[nodiscard]] Dims contiguousStrides(DimsRef sizes);
/// Of 4 or 5 dimensions.
[[nodiscard]] Dims channelsLastStrides(DimsRef sizes);
/// For a copy that preserves the format: the strides themselves where they are dense, else row-major in their order.
[[nodiscard]] Dims preservedStrides(DimsRef sizes, DimsRef strides);
/// For an elementwise result of operands laid out like `likes` (strides of these sizes, 0 where stretched): dimensions keep the
/// operands' order, and the first operand that tells two dimensions apart decides.
[[nodiscard]] Dims denseStridesLike(DimsRef sizes, llvm::ArrayRef<DimsRef> likes);

// --- Views ----------------------------------------------------------------------------------------------
/// `wanted` with its -1, if any, replaced by the size that makes the counts equal; empty where none does.
[[nodiscard]] std::optional<Dims> inferSizes(DimsRef wanted, int64_t count);
/// Strides of a view as `to`, of equal element count; empty where only a copy has that shape. Every new dimension must run
/// through one stretch of memory with a constant step: old dimensions are grouped into the largest runs that are contiguous
/// among themselves, and new dimensions must fill runs exactly. [2, 3, 4] with strides [12, 4, 1] is one run and may be seen as
/// [6, 4] or [24]; with strides [24, 4, 1] it is the runs [2] and [3, 4], and may be seen as [2, 12] but not as [6, 4].
[[nodiscard]] std::optional<Dims> viewStrides(DimsRef sizes, DimsRef strides, DimsRef to);

} // namespace ccgraph
