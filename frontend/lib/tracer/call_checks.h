// Call checks: what PyTorch refuses when a call is made, and a graph that holds the call would refuse only when it runs.
//
// The rules that give types (ir/type_inference.h) tell what a call yields where it is right. These checks look at dtypes of factors and indices, at
// sizes of biases and weights, and at what is written. Messages are PyTorch's own.
//
// Ownership: borrows the node. Failure: the first diagnostic. Cost: linear in the ranks.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph::tracer::detail {

/// "Float", "Long": a dtype as PyTorch's messages spell it.
[[nodiscard]] std::string scalarTypeName(DType dtype);

/// Of a call whose operands have types.
[[nodiscard]] llvm::Error checkCall(const Node &node);

/// Of a call that writes its first argument, where `functional` is the type that the same call without writing yields.
[[nodiscard]] llvm::Error checkWritten(const Node &node, const Type &functional);

} // namespace ccgraph::tracer::detail
