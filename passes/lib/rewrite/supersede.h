// Supersede: one node takes the place of another.
//
// What a rewrite makes stands for what was there: who read the old node reads the new one, what the old one had to follow
// the new one follows, and a name that a user knows stays. Rewrites that make one node of another share this.
//
// Ownership: the graph's; what is superseded is erased. Failure: none. Cost: linear in uses and ordering edges.
#pragma once

#include "ccgraph/ir/builder.h"

namespace ccgraph {

/// `to` follows all that `from` has ordering edges to.
void copyOrdering(Graph &graph, const Node &from, Node *to);

/// `by` takes over a node's ordering edges, users and name; the node is erased.
void supersede(Graph &graph, Node *node, Node *by);

/// The wait that `like` is, on another value; named after it.
[[nodiscard]] Node *waitLike(GraphBuilder &builder, Node *value, const Node &like);

} // namespace ccgraph
