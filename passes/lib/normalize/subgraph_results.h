// SubgraphResults: the results of one invoke_subgraph, and the nodes that read them.
//
//   body: return (b, c)     y = invoke_subgraph(body, "layer", x); z = y[0]     the getitem z reads the result b
//   body: return b          y = invoke_subgraph(body, "layer", x)               the call itself has the value of b
//
// The result may be a placeholder of the subgraph: its value is then an argument of the call.
//
// Ownership: refers to the call and the subgraph, which must not change meanwhile. `call` has one argument for each
// placeholder. Failure: none. Cost: linear in the uses of the call and the nodes of the subgraph.
#pragma once

#include "ccgraph/ir/graph.h"

#include <vector>

namespace ccgraph {

class SubgraphResults {
public:
  /// One result that is read.
  struct Result {
    /// a getitem of the call, or the call
    const Node *reader = nullptr;
    /// the node of the subgraph that has the value; null if the result is a literal
    const Node *inner = nullptr;
  };

  SubgraphResults(const Node &call, const Graph &body);

  [[nodiscard]] const Graph &body() const { return body_; }
  /// Returns true if each user of a list of results is a getitem of an element, by an index that is a literal, without
  /// ordering edges.
  [[nodiscard]] bool areReadOneByOne() const { return oneByOne_; }
  /// Returns true if each result with a reader is a node, in the subgraph and at the call.
  [[nodiscard]] bool areNodes() const;
  /// Returns true if no known type of an argument or a result differs from the type in the subgraph.
  [[nodiscard]] bool haveSameTypes() const;
  /// Returns the results by reader, in the order of the uses of the call. Requires areReadOneByOne().
  [[nodiscard]] llvm::ArrayRef<Result> all() const { return results_; }

private:
  void readElements(llvm::ArrayRef<Argument> elements);
  /// Returns the argument of the call for a placeholder; null if that argument is a literal.
  [[nodiscard]] const Node *actualOf(const Node &placeholder) const;
  /// Returns the value of a result where the call is: an argument of the call, or the node of the subgraph.
  [[nodiscard]] const Node *valueOf(const Result &result) const;

  const Node &call_;
  const Graph &body_;
  std::vector<const Node *> formals_;
  std::vector<Result> results_;
  bool oneByOne_ = true;
};

} // namespace ccgraph
