// Call checks: errors that PyTorch reports at the call, and that a recorded graph would report only when it runs.
//
// The type rules (ir/type_inference.h) determine the result of a valid call. These checks test the dtypes of factors
// and indices, the sizes of biases and weights, and written operands. Messages are PyTorch's own.
//
// Ownership: borrows the node. Failure: the first diagnostic. Cost: linear in the ranks.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph::tracer::detail {

/// Checks a call whose operands have types.
[[nodiscard]] llvm::Error checkCall(const Node &node);

/// Checks a call that writes its first argument; `functional` is the type of the result of the same call without
/// writing.
[[nodiscard]] llvm::Error checkWritten(const Node &node, const Type &functional);

} // namespace ccgraph::tracer::detail
