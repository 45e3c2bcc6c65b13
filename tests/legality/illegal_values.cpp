// Illegal edits that change what a node reads, or which nodes exist.
#include "legality/illegal_edits.h"
#include "support/buckets.h"
#include "support/rewrites.h"

#include "ccgraph/ir/effects.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::test {

namespace {

bool wasThere(const Trial &trial, const Node &node) { return trial.result.before->find(&node) != nullptr; }

/// Returns true for a wait of the original graph whose launch has no other user.
bool isOnlyWait(const Trial &trial, const Node &node) {
  return isWait(node) && wasThere(trial, node) && node.numOperands() == 1 && collectiveOf(*node.operand(0)) &&
         onlyWait(node.operand(0)) == &node;
}

/// Replaces operand `index` of a node; with a cover-up, replaces the operand of a copy.
void exchangeOperand(Trial &trial, Node *node, unsigned index, Node *def) {
  if (!trial.coverUp)
    return trial.graph().setOperand(node, index, def);
  replaceByCopy(trial, node, [&](uint32_t operand) { return operand == index ? def : node->operand(operand); });
}

void coverRemoval(Trial &trial, Node *node, Node *stands) {
  if (!trial.coverUp)
    return;
  RemovedReason reasons[] = {RemovedReason::Dead, RemovedReason::Twin, RemovedReason::Forwarded};
  RemovedReason reason = reasons[trial.random.below(3)];
  trial.certificate().removed.push_back({reason, node, reason == RemovedReason::Dead ? nullptr : stands});
}

} // namespace

bool dropWait(Trial &trial) {
  auto waits = nodesWhere(trial.graph(), [&](const Node &node) { return isOnlyWait(trial, node); });
  if (waits.empty())
    return false;
  Node *wait = trial.random.of(waits);
  Node *launch = wait->operand(0);
  trial.graph().replaceAllUses(wait, launch);
  trial.graph().erase(wait);
  coverRemoval(trial, wait, launch);
  return true;
}

/// Lets the readers of a collective read its input.
bool dropCollective(Trial &trial) {
  auto waits = nodesWhere(trial.graph(), [&](const Node &node) {
    return isOnlyWait(trial, node) && wasThere(trial, *node.operand(0)) && node.hasDataUses() &&
           node.operand(0)->numOperands() > 0;
  });
  if (waits.empty())
    return false;
  Node *wait = trial.random.of(waits);
  Node *launch = wait->operand(0);
  Node *input = launch->operand(0);
  trial.graph().replaceAllUses(wait, input);
  trial.graph().erase(wait);
  trial.graph().replaceAllUses(launch, input);
  trial.graph().erase(launch);
  coverRemoval(trial, wait, input);
  coverRemoval(trial, launch, input);
  return true;
}

bool readInFlight(Trial &trial) {
  std::vector<std::pair<Node *, unsigned>> reads;
  for (Node *node : nodesWhere(trial.graph(), [&](const Node &one) {
         return one.opcode() == Opcode::CallFunction && wasThere(trial, one);
       })) {
    Effects effects = effectsOf(*node);
    for (unsigned i = 0; i < node->numOperands(); ++i)
      if (isOnlyWait(trial, *node->operand(i)) && has(effects.operands[i], Access::Read))
        reads.emplace_back(node, i);
  }
  if (reads.empty())
    return false;
  auto [node, index] = trial.random.of(reads);
  exchangeOperand(trial, node, index, node->operand(index)->operand(0));
  return true;
}

bool waitOnAnother(Trial &trial) {
  auto waits = nodesWhere(trial.graph(), [&](const Node &node) { return isOnlyWait(trial, node); });
  std::vector<std::pair<Node *, Node *>> pairs;
  for (size_t i = 1; i < waits.size(); ++i)
    if (waits[i]->type() == waits[i - 1]->type())
      pairs.emplace_back(waits[i], waits[i - 1]);
  if (pairs.empty())
    return false;
  auto [wait, other] = trial.random.of(pairs);
  exchangeOperand(trial, wait, 0, other->operand(0));
  return true;
}

bool claimFalseTwin(Trial &trial) {
  auto waits = nodesWhere(
      trial.graph(), [&](const Node &node) { return isOnlyWait(trial, node) && wasThere(trial, *node.operand(0)); });
  std::vector<std::pair<Node *, Node *>> pairs;
  for (size_t i = 1; i < waits.size(); ++i)
    for (size_t k = i > 6 ? i - 6 : 0; k < i; ++k)
      if (waits[k]->type() == waits[i]->type() && waits[k]->operand(0)->operand(0) != waits[i]->operand(0)->operand(0))
        pairs.emplace_back(waits[k], waits[i]);
  if (pairs.empty())
    return false;
  auto [twin, wait] = trial.random.of(pairs);
  Node *launch = wait->operand(0);
  trial.graph().replaceAllUses(wait, twin);
  trial.graph().erase(wait);
  trial.graph().replaceAllUses(launch, twin->operand(0));
  trial.graph().erase(launch);
  if (!trial.coverUp)
    return true;
  trial.certificate().removed.push_back({RemovedReason::Twin, wait, twin});
  trial.certificate().removed.push_back({RemovedReason::Twin, launch, twin->operand(0)});
  return true;
}

bool swapOperands(Trial &trial) {
  auto nodes = nodesWhere(trial.graph(), [&](const Node &node) {
    return node.opcode() == Opcode::CallFunction && wasThere(trial, node) && node.numOperands() == 2 &&
           node.operand(0) != node.operand(1);
  });
  if (nodes.empty())
    return false;
  Node *node = trial.random.of(nodes);
  Node *first = node->operand(0);
  Node *second = node->operand(1);
  if (trial.coverUp) {
    replaceByCopy(trial, node, [&](uint32_t operand) { return operand == 0 ? second : first; });
    return true;
  }
  trial.graph().setOperand(node, 0, second);
  trial.graph().setOperand(node, 1, first);
  return true;
}

bool addHiddenWrite(Trial &trial) {
  auto nodes = nodesWhere(trial.graph(), [](const Node &node) {
    return node.opcode() != Opcode::Output && node.type() && node.type()->isTensor();
  });
  if (nodes.empty())
    return false;
  Node *value = trial.random.of(nodes);
  Node *write = makeCall(trial.graph().output(), "hidden", "aten.neg_.default", {value});
  trial.graph().setType(write, value->type());
  if (trial.coverUp)
    trial.certificate().added.push_back({write, "helper"});
  return true;
}

} // namespace ccgraph::test
