#include "stage_results.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

std::vector<const Node *> resultsOf(const Graph &graph) {
  const Node *output = graph.output();
  std::vector<const Node *> results;
  if (!output || output->args().empty())
    return results;
  auto add = [&](const Argument &result) {
    results.push_back(result.is(Argument::Kind::Operand) ? output->operand(result) : nullptr);
  };
  const Argument &first = output->args().front();
  if (first.isSequence())
    llvm::for_each(first.elements(), add);
  else
    add(first);
  return results;
}

const Node *placeholderOf(const Graph &graph, llvm::StringRef name) {
  const Node *node = graph.find(name);
  return node && node->opcode() == Opcode::Placeholder ? node : nullptr;
}

const Node *valueOf(const Graph &graph, llvm::StringRef name) {
  const Node *node = graph.find(name);
  if (!node || node->opcode() == Opcode::Placeholder)
    return node;
  return llvm::is_contained(resultsOf(graph), node) ? node : nullptr;
}

} // namespace ccgraph
