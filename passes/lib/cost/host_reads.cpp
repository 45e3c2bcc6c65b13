#include "cost/host_reads.h"

#include "ccgraph/ir/op_def.h"

namespace ccgraph {
namespace {

bool isTensor(const Node *node) { return node->type() && node->type()->isTensor(); }

bool hasUnbackedSize(const Node *node) {
  return isTensor(node) && llvm::any_of(node->type()->sizes(),
                                        [](const Dim &size) { return !size.isStatic() && size.expr()->isUnbacked(); });
}

} // namespace

bool readsOnHost(const Node &node) {
  if (!node.op() || !llvm::any_of(node.dataOperands(), isTensor))
    return false;
  const bool yieldsNumber = node.op()->domain == Domain::Host && node.type() && !isTensor(&node);
  const bool tellsSize = hasUnbackedSize(&node) && llvm::none_of(node.dataOperands(), hasUnbackedSize);
  return yieldsNumber || tellsSize;
}

} // namespace ccgraph
