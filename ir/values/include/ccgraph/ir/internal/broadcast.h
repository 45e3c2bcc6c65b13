// Broadcasting: computes the common shape of several operands, and the strides of an operand expanded to it.
//
// The rules are PyTorch's: shapes are aligned at the last dimension, and a size of 1 expands
// (aten/src/ATen/ExpandUtils.cpp, infer_size and inferExpandGeometry).
//
// Ownership: none; plain functions of values. Failure: an empty result if shapes do not fit. Cost: linear in the
// numbers of dimensions.
#pragma once

#include "ccgraph/ir/int_list.h"

namespace ccgraph {

/// Returns the broadcast shape of both; empty if they do not fit.
[[nodiscard]] std::optional<IntList> broadcastSizes(IntListRef a, IntListRef b);

/// Sizes and strides of a window onto memory.
struct Stretched {
  IntList sizes;
  IntList strides;
};
/// Returns the sizes and strides of torch.Tensor.expand: new dimensions come first, -1 keeps a size, a size of 1
/// expands with stride 0. A new dimension of size 1 has the stride that follows from the next inner dimension. Empty if
/// `wanted` does not fit.
[[nodiscard]] std::optional<Stretched> expanded(IntListRef sizes, IntListRef strides, IntListRef wanted);

} // namespace ccgraph
