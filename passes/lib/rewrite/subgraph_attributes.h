// SubgraphAttributes: removes the get_attr nodes of subgraphs that no node runs any more, and the subgraphs with them.
//
// Several get_attr nodes may name one subgraph, so a subgraph is removed with the last of them.
//
// Ownership: refers to the graph. The counts are those at construction, so no other code may add or remove get_attr
// nodes meanwhile. Failure: none. Cost: linear in the nodes at construction, O(1) for each removal.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

class SubgraphAttributes {
public:
  explicit SubgraphAttributes(Graph &graph);

  /// Erases the get_attr if it has no user; returns whether it did.
  bool eraseUnused(Node *attribute);

private:
  Graph &graph_;
  /// by name of a subgraph or of a constant: the number of get_attr nodes
  llvm::DenseMap<Identifier, unsigned> counts_;
};

} // namespace ccgraph
