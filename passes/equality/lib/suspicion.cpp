#include "suspicion.h"

#include "ccgraph/ir/signature.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph::equality {

const Node *Suspicion::outputNode(const Graph &graph, size_t position) {
  const std::vector<const Node *> leaves = outputLeavesOf(graph);
  return position < leaves.size() ? leaves[position] : nullptr;
}

Suspicion::Suspicion(const StepComparison &comparison, const Trial &trial, NodeMatches &matches) : matches_(matches) {
  llvm::DenseSet<const Node *> wrong, right;
  for (size_t i = 0; i != trial.wrong.size(); ++i)
    if (const Node *node = outputNode(*comparison.ranks.front().graph, comparison.placements.outputs[i].position))
      (trial.wrong[i] ? wrong : right).insert(node);
  for (const Node *node : *comparison.ranks.front().graph) {
    if (wrong.count(node))
      visit(*node, true);
    if (right.count(node))
      visit(*node, false);
  }
}

void Suspicion::visit(const Node &output, bool isWrong) {
  numWrong_ += isWrong;
  std::vector<const Node *> work = {&output};
  llvm::DenseSet<const Node *> seen = {&output};
  while (!work.empty()) {
    const Node *node = work.back();
    work.pop_back();
    Reached &reached = reached_[node];
    if (!isWrong && reached.right)
      continue;
    reached.wrong += isWrong;
    reached.right |= !isWrong;
    if (node->opcode() != Opcode::CallFunction || readsOnlySizes(*node))
      continue;
    if (std::optional<BucketElement> element = bucketElementOf(*node))
      for (const Node *step : element->steps)
        if (seen.insert(step).second) {
          reached_[step].wrong += isWrong;
          reached_[step].right |= !isWrong;
        }
    for (const Node *operand : matches_.operandsOf(*node))
      if (seen.insert(operand).second)
        work.push_back(operand);
    // Other elements of a list may be right.
    if (const Node *list = node->numOperands() != 0 ? node->operand(0) : nullptr;
        isWrong && list && matches_.producesList(*list) && seen.insert(list).second)
      ++reached_[list].wrong;
  }
}

unsigned Suspicion::levelOf(const Node &node) const {
  auto known = reached_.find(&node);
  if (known == reached_.end() || known->second.right)
    return 2;
  return known->second.wrong == numWrong_ ? 0 : 1;
}

} // namespace ccgraph::equality
