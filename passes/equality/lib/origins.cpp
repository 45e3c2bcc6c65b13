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

/// Returns what a view, a collective or a scale is made from; null for any other node.
static const Node *onlyOperand(const Node &node, const NodeMatches &matches) {
  const std::vector<const Node *> operands = matches.operandsOf(node);
  const bool passesOn = isViewOrWait(node) || isCollectiveNode(node) || isOneOfWords(shortTarget(node), {"mul", "div"});
  return node.opcode() == Opcode::CallFunction && passesOn && operands.size() == 1 ? operands.front() : nullptr;
}

std::vector<const Node *> sourcesOf(const Node &node, const NodeMatches &matches) {
  std::vector<const Node *> sources;
  for (const Node *operand : matches.operandsOf(node)) {
    const Node *source = operand;
    for (const Node *before = source; before;
         before = before->opcode() == Opcode::CallFunction ? onlyOperand(*before, matches) : nullptr)
      source = before;
    if (source != operand && source->opcode() == Opcode::CallFunction && matches.isFloatValue(*source))
      sources.push_back(source);
  }
  return sources;
}

static bool isValueItself(const Node &node, NodeMatches &matches) {
  return node.opcode() == Opcode::CallFunction && matches.isFloatValue(node) && matches.isKnown(node) &&
         !matches.kindOfMatch(node).isNone && !matches.kindOfMatch(node).isTrivial && !matches.hasFactor(node);
}

std::vector<const Node *> restoringOf(const Node &node, NodeMatches &matches) {
  constexpr size_t mostNodes = 64;
  std::vector<const Node *> work;
  if (isElementwise(node))
    for (const Node *operand : matches.operandsOf(node))
      if (isValueItself(*operand, matches))
        work.push_back(operand);
  llvm::DenseSet<const Node *> seen(work.begin(), work.end());
  // The latest node first: gradients come after the values of the forward pass.
  auto isEarlier = [](const Node *a, const Node *b) { return a->isBefore(b); };
  for (size_t step = 0; !work.empty() && step != mostNodes; ++step) {
    auto latest = std::max_element(work.begin(), work.end(), isEarlier);
    const Node *restored = *latest;
    work.erase(latest);
    for (const Node *operand : matches.operandsOf(*restored)) {
      if (operand->opcode() == Opcode::CallFunction && matches.isFloatValue(*operand) && matches.hasFactor(*operand))
        return {restored};
      if (isValueItself(*operand, matches) && seen.insert(operand).second)
        work.push_back(operand);
    }
  }
  return {};
}

const Node *seedOf(const Node &origin, NodeMatches &matches) {
  const Node *node = &origin;
  for (bool goesOn = true; goesOn;) {
    goesOn = false;
    for (const Node *operand : matches.operandsOf(*node))
      if (operand->opcode() == Opcode::CallFunction && matches.isFloatValue(*operand) &&
          matches.kindOfMatch(*operand).isTrivial) {
        node = operand;
        goesOn = !readsOnlySizes(*node);
        break;
      }
  }
  return node != &origin && readsOnlySizes(*node) ? node : nullptr;
}

const Node *partialOperandOf(const Node &node, NodeMatches &matches) {
  const Node *only = nullptr;
  if (isCollectiveNode(node))
    return nullptr;
  for (const Node *operand : matches.operandsOf(node))
    if (operand->opcode() == Opcode::CallFunction && matches.kindOfMatch(*operand).isPartial()) {
      if (only)
        return nullptr;
      only = operand;
    }
  return only;
}

} // namespace ccgraph::equality
