// Where a view lies in the tensor that it views.
//
// Sizes and strides of a view are those of its type. What a type does not state is how many elements lie between the
// first element of the viewed tensor and that of the view: for select, slice, narrow, split, chunk, unbind and
// diagonal it follows from the arguments and the tensor's strides, as_strided states it from the beginning of the
// storage, and for all other views it is 0 (torch/csrc and aten/src/ATen/native/TensorShape.cpp). The rule of each
// operator stands in the operator table (OpDef::view).
//
// Example: x is f32[8, 4][4, 1]; select(x, 0, 3) is f32[4][1], 3 * 4 = 12 elements after the first of x.
//
// Ownership: plain values. Failure: by an empty result, where an operator has no rule, an argument is no number, or a
// type has no strides. Cost: linear in the arguments.
#pragma once

#include "ccgraph/ir/node.h"
#include "ccgraph/ir/op_def.h"

namespace ccgraph {

/// Of a view, or of element `element` of a list of views; `from` is the type of the viewed tensor.
[[nodiscard]] std::optional<ViewOffset> viewOffset(const Node &view, unsigned element, const Type &from);

/// The number that an argument spells out, or that the type of the node given there states; empty where neither does.
[[nodiscard]] std::optional<Dim> numberOf(const Node &node, const Argument &argument);
/// The same of the argument at a parameter; `missing` where it is left out or None.
[[nodiscard]] std::optional<Dim> numberAt(const Node &node, int parameter, std::optional<Dim> missing = std::nullopt);

} // namespace ccgraph
