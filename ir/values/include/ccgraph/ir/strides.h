// Strides: the memory layout of a tensor's elements, and the layouts that PyTorch gives to new tensors and to views.
//
// The rules are PyTorch's, each at its function: c10/core/TensorImpl.h and c10/core/MemoryFormat.h (contiguous, dense,
// channels last), aten/src/ATen/TensorIterator.cpp (results of elementwise operators), aten/src/ATen/TensorUtils.cpp
// (computeStride: views), torch/_prims_common (suggested memory formats).
//
// Strides count elements; sizes and strides of one tensor have one length. Ownership: none; plain functions of values.
// Failure: an empty result if a layout does not exist. Cost: linear in the dimensions (denseStridesLike: quadratic).
#pragma once

#include "ccgraph/ir/int_list.h"

namespace ccgraph {

// --- Properties of a layout -----------------------------------------------------------------------------------------
/// Returns true for row-major without gaps; sizes of 1 may have any stride, and an empty tensor is contiguous.
[[nodiscard]] bool isContiguous(IntListRef sizes, IntListRef strides);
/// Returns true if some order of the dimensions is row-major without gaps: each element has memory of its own and no
/// memory is unused (non_overlapping_and_dense). An empty tensor is dense.
[[nodiscard]] bool isDense(IntListRef sizes, IntListRef strides);
/// Returns true for [n, c, h, w] stored as [n, h, w, c], or [n, c, d, h, w] as [n, d, h, w, c]; false for other ranks.
[[nodiscard]] bool isChannelsLast(IntListRef sizes, IntListRef strides);
/// Returns true if strides ascend in the order of channels last, and sizes of 1 do not make this ambiguous
/// (are_strides_like_channels_last).
[[nodiscard]] bool hintsAtChannelsLast(IntListRef sizes, IntListRef strides);
/// Returns the number of elements from the first to one past the last that a tensor reaches; 0 for an empty one.
[[nodiscard]] int64_t extentOf(IntListRef sizes, IntListRef strides);

// --- New memory ----------------------------------------------------------------------------------------
/// Returns row-major strides; a size of 0 counts as 1.
[[nodiscard]] IntList contiguousStrides(IntListRef sizes);
/// For 4 or 5 dimensions.
[[nodiscard]] IntList channelsLastStrides(IntListRef sizes);
/// Returns the strides of a copy that preserves the format: the strides themselves if they are dense, else row-major in
/// their order.
[[nodiscard]] IntList preservedStrides(IntListRef sizes, IntListRef strides);
/// Returns the strides of an elementwise result of operands laid out like `likes` (strides of these sizes, 0 where
/// expanded). Dimensions keep the operands' order; for each two dimensions, the first operand that orders them decides.
[[nodiscard]] IntList denseStridesLike(IntListRef sizes, llvm::ArrayRef<IntListRef> likes);
/// Returns the strides of the result of a Fourier transform, as PyTorch lays it out with MKL
/// (native/mkl/SpectralOps.cpp): the other dimensions in the order of the operand's `strides`, then the transformed
/// ones, `dims`, in theirs, all adjacent. The last of `dims` stays last where `keepsLast`.
[[nodiscard]] IntList transformStrides(IntListRef sizes, IntListRef strides, IntListRef dims, bool keepsLast);

// --- Views ----------------------------------------------------------------------------------------------
/// Returns `wanted` with its -1, if any, replaced by the size that makes the counts equal; empty if there is none.
[[nodiscard]] std::optional<IntList> inferSizes(IntListRef wanted, int64_t count);
/// Returns the strides of a view as `to`, of equal element count; empty if only a copy has that shape. Every new
/// dimension must cover one range of memory with a constant step. Old dimensions are grouped into the largest runs that
/// are contiguous among themselves, and new dimensions must fill runs exactly. [2, 3, 4] with strides [12, 4, 1] is one
/// run and may be viewed as [6, 4] or [24]. With strides [24, 4, 1] it is the runs [2] and [3, 4], and may be viewed as
/// [2, 12] but not as [6, 4].
[[nodiscard]] std::optional<IntList> viewStrides(IntListRef sizes, IntListRef strides, IntListRef to);

} // namespace ccgraph
