// StandIn: a copy of a call whose operands have other types than those in its graph.
//
// A type describes a value at the time when its node ran. An operator may change the sizes and strides of a tensor in
// place (Access::Reshape). A later call then reads other sizes than the type of its operand states. The rules of an
// operator (OpDef::shape, OpDef::sharing) and effectsOf() read the types of operands, so they need the call with the
// types that the operands have at that time. A StandIn is a graph with a copy of the call, and a placeholder of a given
// type for each operand.
//
// Example: c = clone(x) of f32[4, 6]; t_(c); l = unbind(c). StandIn(l, {f32[6, 4][1, 6]}) is unbind of f32[6, 4][1, 6],
// which returns six tensors; the call l with the type of c would return four.
//
// Ownership: owns its graph; types and names are those of the Context. Failure: none. The call must not name subgraphs,
// because a StandIn has none. Cost: linear in the arguments.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

class StandIn {
public:
  /// `types` has one entry for each operand of the call, null if a type is unknown.
  StandIn(const Node &call, llvm::ArrayRef<const Type *> types);

  [[nodiscard]] const Node &call() const { return *call_; }

private:
  std::unique_ptr<Graph> graph_;
  const Node *call_ = nullptr;
};

} // namespace ccgraph
