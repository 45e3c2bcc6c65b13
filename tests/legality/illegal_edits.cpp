#include "legality/illegal_edits.h"

#include "support/buckets.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/group_id.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph::test {

llvm::ArrayRef<IllegalEdit> illegalEdits() {
  static const IllegalEdit edits[] = {
      {"add-hidden-write", addHiddenWrite},
      {"claim-false-twin", claimFalseTwin},
      {"drop-collective", dropCollective},
      {"drop-ordering-edge", dropOrderingEdge},
      {"drop-wait", dropWait},
      {"merge-across-dependence", mergeAcrossDependence},
      {"move-across-domain", moveAcrossDomain},
      {"move-before-operand", moveBeforeOperand},
      {"move-read-before-write", moveReadBeforeWrite},
      {"move-wait-after-use", moveWaitAfterUse},
      {"move-write-into-flight", moveWriteIntoFlight},
      {"read-in-flight", readInFlight},
      {"swap-collectives", swapCollectives, true},
      {"swap-members", swapMembers},
      {"swap-operands", swapOperands},
      {"swap-replacements", swapReplacements},
      {"take-wrong-slice", takeWrongSlice},
      {"use-another-group", useAnotherGroup},
      {"use-another-reduction", useAnotherReduction},
      {"wait-on-another", waitOnAnother},
  };
  return edits;
}

void stateAllOrders(Trial &trial) {
  llvm::StringMap<bool> stated;
  for (Node *node : trial.graph().nodes())
    if (collectiveOf(*node) && stated.try_emplace(groupIdOf(*node).text, true).second)
      stateOrder(node, trial.certificate());
}

Node *replaceByCopy(Trial &trial, Node *node, llvm::function_ref<Node *(uint32_t)> map) {
  Graph &graph = trial.graph();
  ArgumentBuilder builder(graph);
  std::vector<Argument> positional;
  std::vector<NamedArgument> keyword;
  for (const Argument &argument : node->args())
    positional.push_back(builder.copy(argument, map));
  for (const NamedArgument &argument : node->kwargs())
    keyword.push_back({argument.name, builder.copy(argument.value, map)});
  Node *copy = graph.create({.name = node->name().str(), .target = node->target(), .type = node->type()},
                            std::move(builder), {positional, keyword}, node);
  graph.replaceAllUses(node, copy);
  graph.erase(node);
  Certificate &certificate = trial.certificate();
  switch (trial.random.below(3)) {
  case 0:
    certificate.removed.push_back({RemovedReason::Twin, node, copy});
    certificate.added.push_back({copy, "twin"});
    break;
  case 1:
    certificate.removed.push_back({RemovedReason::Forwarded, node, copy});
    certificate.added.push_back({copy, "copy"});
    break;
  default:
    certificate.rules.push_back({"inline-control-deps", {node}, {copy}});
  }
  return copy;
}

std::vector<Node *> nodesWhere(const Graph &graph, llvm::function_ref<bool(const Node &)> pass) {
  std::vector<Node *> nodes;
  for (Node *node : graph)
    if (pass(*node))
      nodes.push_back(node);
  return nodes;
}

bool operandsBefore(const Node *node, const Node *place) {
  return llvm::all_of(node->operandUses(), [&](const Use &use) { return use.def()->isBefore(place); });
}

bool reaches(const Node *from, const Node *to) {
  llvm::DenseSet<const Node *> seen;
  llvm::SmallVector<const Node *, 32> open{to};
  while (!open.empty()) {
    const Node *node = open.pop_back_val();
    if (node == from)
      return true;
    for (const Use &use : node->operandUses())
      if (!use.def()->isBefore(from) && seen.insert(use.def()).second)
        open.push_back(use.def());
  }
  return false;
}

} // namespace ccgraph::test
