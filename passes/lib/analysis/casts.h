// Casts: the calls that only change the dtype of a tensor.
//
// Ownership: none. Failure: none; any other call is empty. Cost: constant.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

/// Returns the dtype that a call with one operand casts to: aten._to_copy with a dtype alone, or
/// prims.convert_element_type. Empty for any other node, and for a cast that changes anything else.
[[nodiscard]] std::optional<DType> castDType(const Node &node);

} // namespace ccgraph
