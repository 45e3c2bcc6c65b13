#include "suspicion.h"

#include "ccgraph/ir/signature.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

namespace ccgraph::equality {

const Node *Suspicion::outputNode(const Graph &graph, size_t position) {
  const std::vector<const Node *> leaves = outputLeavesOf(graph);
  return position < leaves.size() ? leaves[position] : nullptr;
}

Suspicion::Suspicion(const StepComparison &comparison, const Trial &trial, NodeMatches &matches)
    : matches_(matches), trial_(trial) {
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

unsigned Suspicion::leastPower(const Node &node) const {
  const Value &value = trial_.ranks.front().values[node.id()];
  if (!value.is(Value::Type::Tensor) || value.tensor.kind() != Kind::Float)
    return 0;
  const Array array = read(value.tensor);
  unsigned least = fullDigits;
  for (Word word : *array.words)
    least = std::min(least, isMark(word) ? 0 : primePower(word));
  return least;
}

/// Returns how many operands come before the factors of a product; empty for a node that is none.
static std::optional<size_t> firstFactor(const Node &node) {
  const bool isElement = node.op() && node.op()->role == OpRole::GetItem && node.numOperands() != 0;
  const Node &product = isElement && node.operand(0)->opcode() == Opcode::CallFunction ? *node.operand(0) : node;
  if (isOneOfWords(shortTarget(product), {"mul", "_foreach_mul", "square"}))
    return 0;
  return isOneOfWords(shortTarget(product), {"addcmul", "_foreach_addcmul"}) ? std::optional<size_t>(1) : std::nullopt;
}

std::vector<const Node *> Suspicion::operandsThatTell(const Node &node) const {
  std::vector<const Node *> operands = matches_.operandsOf(node);
  const std::optional<size_t> first = firstFactor(node);
  if (!first || operands.size() <= *first)
    return operands;
  unsigned power = 0;
  for (size_t i = *first; i != operands.size(); ++i)
    power += leastPower(*operands[i]) * (shortTarget(node) == "square" ? 2 : 1);
  if (power >= fullDigits - 1)
    operands.erase(std::remove_if(operands.begin() + static_cast<int64_t>(*first), operands.end(),
                                  [&](const Node *factor) { return leastPower(*factor) < fullDigits - 1; }),
                   operands.end());
  return operands;
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
    for (const Node *operand : isWrong ? matches_.operandsOf(*node) : operandsThatTell(*node))
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
