// NodeOperands: the arguments of a node's call in the form that the binder of collective calls accepts (bound_call.h).
//
// Tensors keep their objects, so a row of a bound call is found by its handle. Ownership: shares the tensor objects;
// the error function borrows the node. Failure: none. Cost: linear in the arguments.
#pragma once

#include "ccgraph/ir/internal/bound_call.h"
#include "lower/emitter.h"

namespace ccgraph::lower {

struct NodeOperands {
  CallOperands call;
  /// by OperandTensor::handle
  std::vector<TensorObject> tensors;
};

/// Returns the operands of a collective or a transfer. Errors are of rule lower.call.
[[nodiscard]] NodeOperands operandsOf(const Emitter &emitter, const Node &node);

} // namespace ccgraph::lower
