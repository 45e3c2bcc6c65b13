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

/// Returns whether all tensor results have types with strides.
bool isTyped(const Graph &graph) {
  size_t whole = 0;
  size_t partial = 0;
  for (const Node *node : graph)
    if (node->opcode() == Opcode::CallFunction && node->type() != nullptr && node->type()->isTensor())
      ++(node->type()->stridesKnown() ? whole : partial);
  return whole > partial;
}

bool isJointKind(llvm::StringRef kind) {
  return kind == "aot_joint_graph" || kind == "before_joint_graph" || kind == "after_joint_graph";
}

/// Inductor runs its joint passes over inference graphs too, so a joint kind alone does not make a joint graph.
GraphRole roleOf(const Graph &graph, llvm::StringRef kind) {
  bool primals = false, tangents = false;
  for (const Node *node : graph) {
    if (node->opcode() != Opcode::Placeholder)
      continue;
    llvm::StringRef name = node->name().str();
    primals |= name.startswith("primals");
    tangents |= name.startswith("tangents");
  }
  if (tangents)
    return isJointKind(kind) ? GraphRole::Joint : GraphRole::Backward;
  return primals ? GraphRole::Forward : GraphRole::Whole;
}

} // namespace

llvm::StringRef graphRoleName(GraphRole role) {
  switch (role) {
  case GraphRole::Whole:
    return "graph";
  case GraphRole::Forward:
    return "forward";
  case GraphRole::Backward:
    return "backward";
  case GraphRole::Joint:
    return "joint";
  case GraphRole::Optimizer:
    return "optimizer";
  }
  llvm_unreachable("no such role");
}

void describeGraph(const Graph &graph, ListedGraph &entry) {
  entry.name = graph.name().str();
  entry.nodes = graph.size();
  entry.collectives = countCollectives(graph);
  entry.typed = isTyped(graph);
  entry.role = roleOf(graph, entry.kind);
}

} // namespace ccgraph
