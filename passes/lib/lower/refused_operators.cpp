#include "lower/emitter.h"
#include "lower/steps.h"

#include "llvm/ADT/DenseSet.h"

namespace ccgraph::lower {
namespace {

/// Returns why the operator cannot become a step; empty if it can.
std::optional<std::pair<std::string, llvm::StringRef>> refusal(const OpDef &op) {
  std::string target = op.target.str().str();
  if (op.role == OpRole::HigherOrder && op.domain == Domain::All)
    return {{target + " does what its subgraphs do, which a plan does not hold",
             "the reference engine runs cond and while_loop"}};
  if (op.opaque)
    return {{"the effects of " + target + " are unknown", "declare it (--ops), or run the graph without it"}};
  return std::nullopt;
}

} // namespace

llvm::Error checkOperators(const Graph &graph) {
  Diagnostics found;
  llvm::DenseSet<const OpDef *> seen;
  for (const Node *node : graph)
    if (node->op() && seen.insert(node->op()).second)
      if (auto why = refusal(*node->op()))
        found.add(diagnose(*node, "lower.operator", why->first, why->second.str()));
  return found.hasErrors() ? makeError(found.take()) : llvm::Error::success();
}

} // namespace ccgraph::lower
