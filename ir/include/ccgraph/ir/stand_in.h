// StandIn: a call on operands of other types than those that its graph states.
//
// A type says what a value was when its node made it. An operator may change the sizes and strides of a tensor in place
// (Access::Reshape), and then a later call of that tensor reads other sizes than the type of its operand states. The
// rules of an operator (OpDef::shape, OpDef::sharing) and effectsOf() look at the types of operands, so they need the
// call with the types that the operands have by then. A StandIn is a graph with a copy of the call, and a placeholder
// of a given type for each operand.
//
// Example: c = clone(x) of f32[4, 6]; t_(c); l = unbind(c). StandIn(l, {f32[6, 4][1, 6]}) is unbind of f32[6, 4][1, 6],
// which yields six tensors; the call l with the type of c would yield four.
//
// Ownership: owns its graph; types and names are those of the Context. Failure: none. The call must not name
// subgraphs, because a StandIn has none. Cost: linear in the arguments.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

class StandIn {
public:
  /// `types` has one entry for each operand of the call, null where a type is not known.
  StandIn(const Node &call, llvm::ArrayRef<const Type *> types);

  [[nodiscard]] const Node &call() const { return *call_; }

private:
  std::unique_ptr<Graph> graph_;
  const Node *call_ = nullptr;
};

} // namespace ccgraph
