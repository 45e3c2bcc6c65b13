#include "rewrite/subgraph_attributes.h"

namespace ccgraph {

SubgraphAttributes::SubgraphAttributes(Graph &graph) : graph_(graph) {
  for (const Node *node : graph)
    if (node->opcode() == Opcode::GetAttr)
      ++counts_[node->target()];
}

bool SubgraphAttributes::eraseUnused(Node *attribute) {
  if (attribute->hasUses())
    return false;
  Identifier subgraph = attribute->target();
  graph_.erase(attribute);
  if (--counts_[subgraph] == 0)
    graph_.eraseSubgraph(subgraph);
  return true;
}

} // namespace ccgraph
