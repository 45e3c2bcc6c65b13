// BodyCopy: copies the nodes of a subgraph before the call that runs the subgraph.
//
//   body(a, n): b = mul(a, n); c = all_reduce(b, "sum", "tp"); return c        y = invoke_subgraph(body, "layer", x, 2)
//   ->  b = mul(x, 2); c = all_reduce(b, "sum", "tp");  and c is the value of y
//
// A placeholder is bound to an argument of the call: a node of the graph, or a literal. A copied node reads that
// argument wherever its original reads the placeholder.
//
// Ownership: refers to the graph and the call, which must outlive it. Failure: none; all nodes that a copied node reads
// must have been bound or copied before. Cost: linear in the arguments.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

class BodyCopy {
public:
  BodyCopy(Graph &graph, Node &call) : graph_(graph), call_(call) {}

  /// Gives a placeholder of the subgraph the value of an argument of the call.
  void bind(const Node &placeholder, const Argument &argument);
  /// Creates the copy before the call. Its name is the name of `inner`, made unique. Its type, frame and provenance are
  /// those of `inner`; the frame of the call replaces an unknown frame.
  Node *copy(const Node &inner);
  /// Creates a copy before the call that has only the arguments of `inner`; `spec` gives everything else.
  Node *copy(const Node &inner, const NodeSpec &spec);
  /// Returns the node of the graph that has the value of a node of the subgraph; null if the value is a literal.
  [[nodiscard]] Node *valueOf(const Node &inner) const { return actuals_.lookup(&inner).node; }

private:
  /// The value of a node of the subgraph: a node of the graph, or a literal in the arguments of the call.
  struct Actual {
    Node *node = nullptr;
    const Argument *literal = nullptr;
  };
  Argument copy(ArgumentBuilder &builder, const Node &inner, const Argument &tree);

  Graph &graph_;
  Node &call_;
  llvm::DenseMap<const Node *, Actual> actuals_;
};

} // namespace ccgraph
