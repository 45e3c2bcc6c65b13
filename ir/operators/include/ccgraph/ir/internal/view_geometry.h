// Computes the place of a view in the tensor that it views.
//
// Sizes and strides of a view are those of its type. The type does not contain the number of elements between the first
// element of the viewed tensor and that of the view. For select, slice, narrow, split, chunk, unbind and diagonal it
// follows from the arguments and the tensor's strides. as_strided states it from the start of the storage; for all
// other views it is 0 (torch/csrc and aten/src/ATen/native/TensorShape.cpp). The rule of each operator is in the
// operator table (OpDef::view).
//
// Example: x is f32[8, 4][4, 1]; select(x, 0, 3) is f32[4][1], 3 * 4 = 12 elements after the first of x.
//
// Ownership: plain values. Failure: an empty result if an operator has no rule, an argument is no number, or a type has
// no strides. Cost: linear in the arguments.
#pragma once

#include "ccgraph/ir/node.h"
#include "ccgraph/ir/op_def.h"

namespace ccgraph {

/// For a view, or for element `element` of a list of views; `from` is the type of the viewed tensor.
[[nodiscard]] std::optional<ViewOffset> viewOffset(const Node &view, unsigned element, const Type &from);

/// Returns the number in an argument, either literal or stated by the type of the node there; empty if there is none.
[[nodiscard]] std::optional<Dim> numberOf(const Node &node, const Argument &argument);
/// Returns the same for the argument at a parameter; `missing` if it is left out or None.
[[nodiscard]] std::optional<Dim> numberAt(const Node &node, int parameter, std::optional<Dim> missing = std::nullopt);

} // namespace ccgraph
