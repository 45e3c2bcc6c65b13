// Computes the window of a view from the window of its base tensor.
//
// Sizes and strides are those of the node's type. The type does not contain the distance in elements from the base
// tensor's first element to the view's. For select, slice, narrow, split, chunk, unbind and diagonal it follows from
// their arguments and the tensor's strides. For as_strided it is stated from the start of the storage; for all other
// listed operators it is 0 (torch/csrc and aten/src/ATen/native/TensorShape.cpp).
//
// Example: x is f32[8, 4][4, 1] at offset 2 of its buffer; select(x, 0, 3) is f32[4][1] at 2 + 3 * 4 = 14.
//
// Failure: an empty result for an operator that is not listed, an argument that is no number, or a type without
// strides.
// Cost: linear in the dimensions.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/plan.h"

namespace ccgraph::lower {

/// Returns true for an operator that viewWindow() supports.
[[nodiscard]] bool isKnownView(const Node &view);

/// Returns the window of the result, or of element `element` of a list result, whose type is `type`.
[[nodiscard]] std::optional<PlanWindow> viewWindow(const Node &view, unsigned element, const PlanWindow &from,
                                                   const Type *type);

/// Returns the name without its overload: "aten.t_" for aten.t_.default.
[[nodiscard]] llvm::StringRef baseOf(const OpDef &op);

/// Returns the number in an argument, either literal or stated by the type of the node there; empty if there is none.
[[nodiscard]] std::optional<Dim> numberOf(const Node &node, const Argument &argument);
/// The same for the argument at a parameter; `missing` if it is left out or None.
[[nodiscard]] std::optional<Dim> numberAt(const Node &node, int parameter, std::optional<Dim> missing = std::nullopt);

} // namespace ccgraph::lower
