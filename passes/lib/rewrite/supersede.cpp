#include "rewrite/supersede.h"

#include "ccgraph/ir/op_def.h"

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

bool isPlainCall(const Node &call) { return call.kwargs().empty() && call.args().size() == call.op()->params.size(); }

std::vector<Actual> argumentsWith(const Node &like, Actual first) {
  std::vector<Actual> args = {std::move(first)};
  for (const Argument &argument : like.args().drop_front())
    args.push_back(Actual::copyOf(like, argument));
  return args;
}

Node *waitLike(GraphBuilder &builder, Node *value, const Node &like) {
  return builder.call({.target = like.target().str(), .args = {value}, .name = like.name().str()});
}

} // namespace ccgraph
