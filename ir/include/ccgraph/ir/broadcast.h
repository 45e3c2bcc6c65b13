// Broadcasting: the common shape of several operands, and the strides of one stretched to it.
//
// PyTorch's rules: shapes are aligned at the last dimension and a size of 1 stretches (aten/src/ATen/ExpandUtils.cpp,
// infer_size and inferExpandGeometry).
//
// Plain functions of values; nothing is owned. Nothing fails: where shapes do not fit the answer is empty. Cost: linear in the
// numbers of dimensions.
#pragma once

#include "ccgraph/ir/dims.h"

namespace ccgraph {

/// The shape that both have once stretched; empty where they do not fit.
[[nodiscard]] std::optional<Dims> broadcastSizes(DimsRef a, DimsRef b);

/// Sizes and strides of a window onto memory.
struct Stretched {
  Dims sizes;
  Dims strides;
};
/// torch.Tensor.expand: new dimensions stand in front, -1 keeps a size, a size of 1 stretches with stride 0. A new dimension
/// of size 1 has the stride that follows from the one inside it. Empty where `wanted` does not fit.
[[nodiscard]] std::optional<Stretched> expanded(DimsRef sizes, DimsRef strides, DimsRef wanted);

} // namespace ccgraph
