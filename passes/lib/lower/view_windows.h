// Computes the window of a view from the window of its base tensor.
//
// Sizes and strides are those of the node's type; the operator table states where a view begins (view_geometry.h).
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

/// Window of the result, or of element `element` of a list result, whose type is `type`.
[[nodiscard]] std::optional<PlanWindow> viewWindow(const Node &view, unsigned element, const PlanWindow &from,
                                                   const Type *type);

} // namespace ccgraph::lower
