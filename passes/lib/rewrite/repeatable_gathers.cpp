#include "rewrite/repeatable_gathers.h"

#include "analysis/comm_groups.h"
#include "rewrite/supersede.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

bool hasFence(const Graph &graph, const CommGroups &groups) {
  return llvm::any_of(graph, [&](const Node *node) { return groups.isFence(node); });
}

} // namespace

RepeatableGathers::RepeatableGathers(const Graph &graph, const ProgramFacts &facts, bool spmd)
    : facts_(facts), mayAdd_(spmd && !hasFence(graph, CommGroups(graph, spmd))) {}

bool RepeatableGathers::isRepeatable(const Node *launch) const {
  const CollectiveSpec *spec = mayAdd_ ? collectiveOf(*launch) : nullptr;
  return spec && spec->kind == CollectiveKind::AllGather &&
         launch->target().str() == formOf(spec->kind, CollectiveForm::Single) && isPlainCall(*launch) &&
         launch->numOrdering() == 0 && facts_.waitsOf(launch).size() == 1 && llvm::hasSingleElement(launch->uses());
}

Node *RepeatableGathers::launchOf(const Node *wait) const {
  if (!facts_.waits(wait) || wait->numOperands() != 1 || wait->numOrdering() > 0)
    return nullptr;
  Node *launch = wait->operand(0);
  return isRepeatable(launch) ? launch : nullptr;
}

} // namespace ccgraph
