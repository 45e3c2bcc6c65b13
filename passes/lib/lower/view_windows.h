// Where a view lies: the window of its result, from the window of the tensor that it looks at.
//
// Sizes and strides are those of the node's type. What a type does not say is how many elements lie between the tensor's first
// element and the view's: for select, slice, narrow, split, chunk, unbind and diagonal it follows from their arguments and the
// tensor's strides, for as_strided it is stated from the beginning of the storage, for all others that are listed it is 0
// (torch/csrc and aten/src/ATen/native/TensorShape.cpp).
//
// Example: x is f32[8, 4][4, 1] at offset 2 of its buffer; select(x, 0, 3) is f32[4][1] at 2 + 3 * 4 = 14.
//
// Failure: by an empty result: an operator that is not listed, an argument that is no number, a type without strides.
// Cost: linear in the dimensions.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/plan.h"

namespace ccgraph::lower {

/// Is this an operator whose windows viewWindow() knows?
[[nodiscard]] bool isKnownView(const Node &view);

/// Window of the result, or of element `element` of a list result, whose type is `type`.
[[nodiscard]] std::optional<PlanWindow> viewWindow(const Node &view, unsigned element, const PlanWindow &from,
                                                   const Type *type);

/// Without its overload: "aten.t_" of aten.t_.default.
[[nodiscard]] llvm::StringRef baseOf(const OpDef &op);

/// The number that an argument spells out, or that the type of the node given there states; empty where neither does.
[[nodiscard]] std::optional<Dim> numberOf(const Node &node, const Argument &argument);
/// The same of the argument at a parameter; `missing` where it is left out or None.
[[nodiscard]] std::optional<Dim> numberAt(const Node &node, int parameter, std::optional<Dim> missing = std::nullopt);

} // namespace ccgraph::lower
