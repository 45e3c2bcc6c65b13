#include "ccgraph/ir/snapshot.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

// Two flat arrays: the states of the nodes in program order, and all their operands in one pool, in which each state
// has a range. indexById_ maps a node's id to its position in the order plus one; 0 means that the node was not in the
// order.
GraphSnapshot::GraphSnapshot(const Graph &graph)
    : graph_(&graph), indexById_(graph.idLimit()), surroundings_(graph.surroundings()) {
  for (const auto &[name, subgraph] : graph.subgraphs())
    subgraphs_.push_back({name, std::make_unique<GraphSnapshot>(*subgraph)});
  states_.reserve(graph.size());
  size_t edges = 0;
  for (const Node *node : graph)
    edges += node->numOperands() + node->numOrdering();
  pool_.reserve(edges);
  for (Node *node : graph) {
    NodeState state;
    state.node = node;
    state.name = node->name();
    state.target = node->target();
    state.op = node->op();
    state.type = node->type();
    state.arguments = &node->arguments();
    state.provenance = &node->provenance();
    state.frame = node->frame();
    state.firstOperand = static_cast<uint32_t>(pool_.size());
    state.numOperands = node->numOperands();
    state.numOrdering = node->numOrdering();
    for (const Use &use : node->operandUses())
      pool_.push_back(use.def());
    states_.push_back(state);
    indexById_[node->id()] = static_cast<uint32_t>(states_.size());
  }
}

const NodeState *GraphSnapshot::find(const Node *node) const {
  uint32_t index = node->id() < indexById_.size() ? indexById_[node->id()] : 0;
  return index ? &states_[index - 1] : nullptr;
}

// Argument trees and provenance are compared by address, because an edit never changes one but stores another. Equal
// trees have one address; an equal provenance at another address counts as a change: the pass has rebuilt it. The tree
// refers to operands by index only, so the operands are compared separately.
bool GraphSnapshot::matchesNode(const NodeState &state, const Node *node) const {
  bool same = node == state.node && node->name() == state.name && node->target() == state.target &&
              node->type() == state.type && &node->arguments() == state.arguments &&
              &node->provenance() == state.provenance && node->frame() == state.frame &&
              node->numOperands() == state.numOperands && node->numOrdering() == state.numOrdering;
  if (!same)
    return false;
  auto before = llvm::ArrayRef(pool_).slice(state.firstOperand, state.numOperands + state.numOrdering);
  auto now = node->operandUses();
  return std::equal(now.begin(), now.end(), before.begin(), before.end(),
                    [](const Use &use, const Node *def) { return use.def() == def; });
}

bool GraphSnapshot::matches(const Graph &graph) const {
  if (&graph != graph_ || graph.size() != states_.size() || graph.subgraphs().size() != subgraphs_.size() ||
      graph.surroundings() != surroundings_)
    return false;
  auto sameSubgraph = [](const auto &now, const Subgraph &was) {
    return now.first == was.name && was.content->matches(*now.second);
  };
  if (!std::equal(graph.subgraphs().begin(), graph.subgraphs().end(), subgraphs_.begin(), sameSubgraph))
    return false;
  const Node *node = graph.front();
  for (const NodeState &state : states_) {
    if (!matchesNode(state, node))
      return false;
    node = node->next();
  }
  return true;
}

} // namespace ccgraph
