// NodeOperands: the arguments of a node's call, as the binder of collective calls takes them (bound_call.h).
//
// Tensors keep their objects, so that a row of a bound call is found by its handle. Ownership: shares the tensor objects; the error
// function borrows the node. Nothing fails. Cost: linear in the arguments.
#pragma once

#include "ccgraph/ir/bound_call.h"
#include "lower/emitter.h"

namespace ccgraph::lower {

struct NodeOperands {
  CallOperands call;
  /// by OperandTensor::handle
  std::vector<TensorObject> tensors;
};

/// Of a collective or a transfer. Errors are of rule lower.call.
[[nodiscard]] NodeOperands operandsOf(const Emitter &emitter, const Node &node);

} // namespace ccgraph::lower
