#include "lacking_terms.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph::equality {

/// Returns the directions of the values that the single graph adds to another tensor.
static llvm::DenseSet<uint64_t> addedDirections(const NodeMatches &matches) {
  llvm::DenseSet<uint64_t> directions;
  for (const Node *sum : matches.singleCallsOf("add"))
    for (const Node *term : sum->dataOperands())
      if (sum->numOperands() == 2 && term->opcode() == Opcode::CallFunction)
        directions.insert(matches.directionOfSingle(*term));
  directions.erase(0);
  return directions;
}

static bool isReadByAddition(const Node &node) {
  return llvm::any_of(node.uses(), [](const Use &use) {
    return use.user()->opcode() == Opcode::CallFunction && shortTarget(*use.user()).contains("add");
  });
}

std::vector<const Node *> lackingTerms(const StepComparison &comparison, NodeMatches &matches) {
  const llvm::DenseSet<uint64_t> added = addedDirections(matches);
  std::vector<std::pair<uint64_t, const Node *>> first;
  llvm::DenseSet<uint64_t> seen, isAdded;
  for (const Node *node : *comparison.ranks.front().graph) {
    const bool isValue = node->opcode() == Opcode::CallFunction && !readsOnlySizes(*node);
    const uint64_t direction = isValue ? matches.directionOf(*node) : 0;
    if (!added.contains(direction))
      continue;
    if (seen.insert(direction).second)
      first.emplace_back(direction, node);
    if (isReadByAddition(*node))
      isAdded.insert(direction);
  }
  std::vector<const Node *> lacking;
  for (const auto &[direction, node] : first)
    if (!isAdded.contains(direction))
      lacking.push_back(node);
  return lacking;
}

} // namespace ccgraph::equality
