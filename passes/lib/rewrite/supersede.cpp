#include "rewrite/supersede.h"

namespace ccgraph {

void copyOrdering(Graph &graph, const Node &from, Node *to) {
  for (unsigned i = 0; i < from.numOrdering(); ++i)
    graph.addOrdering(to, from.ordering(i));
}

void supersede(Graph &graph, Node *node, Node *by) {
  std::string name = node->name().str().str();
  copyOrdering(graph, *node, by);
  graph.replaceAllUses(node, by);
  graph.erase(node);
  graph.rename(by, name);
}

Node *waitLike(GraphBuilder &builder, Node *value, const Node &like) {
  return builder.call({.target = like.target().str(), .args = {value}, .name = like.name().str()});
}

} // namespace ccgraph
