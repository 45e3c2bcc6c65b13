#include "origins.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph::equality {
namespace {

/// Returns whether the walk goes on to an operand. Where the reader has multiples and right values, both are
/// followed.
bool leadsOn(NodeMatches &matches, const Node &node, const Node &operand, const Node &reader) {
  if (operand.opcode() != Opcode::CallFunction || !matches.isFloatValue(operand))
    return false;
  return &node == &reader || !matches.isKnown(operand) || matches.hasFactor(operand) ||
         (&node != &reader && !matches.hasFactor(node) && !matches.kindOfMatch(operand).isTrivial);
}

/// The collective that makes the value, or the list of which it is an element.
const Node *collectiveOf(const Node &node) {
  const Node *made = &node;
  while (made->numOperands() == 1 && isViewOrWait(*made) && made->operand(0)->opcode() == Opcode::CallFunction)
    made = made->operand(0);
  return isCollectiveNode(*made) ? made : nullptr;
}

} // namespace

Origins originsOf(const Node &reader, NodeMatches &matches) {
  constexpr size_t mostNodes = 512;
  Origins found;
  std::vector<const Node *> work = {&reader};
  llvm::DenseSet<const Node *> seen = {&reader};
  for (size_t next = 0; next != work.size() && next != mostNodes && !found.origin; ++next) {
    const Node &node = *work[next];
    bool isRightOne = matches.isKnown(node) && !matches.hasFactor(node);
    bool readsMultiple = false;
    std::vector<const Node *> further;
    for (const Node *operand : matches.operandsOf(node)) {
      readsMultiple |= matches.isFloatValue(*operand) && (matches.hasFactor(*operand) || !matches.isKnown(*operand));
      if (leadsOn(matches, node, *operand, reader))
        further.push_back(operand);
    }
    if (next != 0) {
      if (!found.oddCall && matches.isOddCall(node))
        found.oddCall = &node;
      if (const Node *collective = collectiveOf(node))
        found.met.push_back(collective);
      if (matches.isOddProduct(node) || (isRightOne && readsMultiple))
        found.met.push_back(&node);
    }
    if (!isRightOne && !readsMultiple && matches.hasFactor(node))
      found.origin = &node;
    if (next == 0 || !isRightOne || !readsMultiple)
      for (const Node *operand : further)
        if (seen.insert(operand).second)
          work.push_back(operand);
  }
  return found;
}

} // namespace ccgraph::equality
