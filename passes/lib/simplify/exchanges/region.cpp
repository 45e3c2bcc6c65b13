#include "simplify/exchanges/region.h"

#include "ccgraph/ir/effects.h"

namespace ccgraph {

Node *onlyReader(const Node &value) {
  auto uses = value.uses();
  if (uses.begin() == uses.end() || std::next(uses.begin()) != uses.end() || uses.begin()->isOrdering())
    return nullptr;
  return uses.begin()->user();
}

Node *onlyWait(const Node &launch) {
  Node *wait = nullptr;
  for (const Use &use : launch.uses()) {
    if (use.isOrdering())
      continue;
    if (wait || !isWait(*use.user()) || use.user()->numOperands() != 1)
      return nullptr;
    wait = use.user();
  }
  return wait;
}

bool isFunctional(const Node &node, CollectiveKind kind) {
  const CollectiveSpec *spec = collectiveOf(node);
  return spec && spec->kind == kind && node.target().str() == formOf(kind, CollectiveForm::Single);
}

bool hasOrdering(const Node &node) {
  return node.numOrdering() != 0 || llvm::any_of(node.uses(), [](const Use &use) { return use.isOrdering(); });
}

} // namespace ccgraph
