#include "ccgraph/frontend/listed_graph.h"

#include "ccgraph/ir/effects.h"

namespace ccgraph {
namespace {

size_t countCollectives(const Graph &graph) {
  size_t count = 0;
  for (const Node *node : graph)
    count += collectiveOf(*node) != nullptr;
  for (const auto &[name, subgraph] : graph.subgraphs())
    count += countCollectives(*subgraph);
  return count;
}

/// Results have types with strides, as far as they are tensors.
bool isTyped(const Graph &graph) {
  size_t whole = 0;
  size_t partial = 0;
  for (const Node *node : graph)
    if (node->opcode() == Opcode::CallFunction && node->type() != nullptr && node->type()->isTensor())
      ++(node->type()->stridesKnown() ? whole : partial);
  return whole > partial;
}

} // namespace

void describeGraph(const Graph &graph, ListedGraph &entry) {
  entry.name = graph.name().str();
  entry.nodes = graph.size();
  entry.collectives = countCollectives(graph);
  entry.typed = isTyped(graph);
}

} // namespace ccgraph
