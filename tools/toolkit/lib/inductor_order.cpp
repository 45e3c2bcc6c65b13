#include "ccgraph/toolkit/graph_choice.h"

#include "ccgraph/ir/effects.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

/// Inductor may use the in-place form of a collective: all_reduce_ corresponds to all_reduce in the graph.
std::string plainTarget(llvm::StringRef target) {
  auto [name, overload] = target.rsplit('.');
  return name.rtrim('_').str() + "." + overload.str();
}

std::vector<std::string> plainTargets(llvm::ArrayRef<std::string> targets) {
  std::vector<std::string> plain;
  for (const std::string &target : targets)
    plain.push_back(plainTarget(target));
  return plain;
}

} // namespace

std::string inductorOrderText(const Graph &graph, llvm::ArrayRef<TraceOrder> orders) {
  std::vector<std::string> own;
  for (const Node *node : graph)
    if (collectiveOf(*node) || isWait(*node))
      own.push_back(plainTarget(node->target().str()));
  bool reordered = false;
  for (const TraceOrder &order : orders) {
    std::vector<std::string> theirs = plainTargets(order.targets);
    if (theirs == own && !own.empty())
      return "issues collectives and waits in this order, by their names (inductor_collective_schedule); "
             "computation between them may differ";
    reordered |= theirs.size() == own.size() && std::is_permutation(theirs.begin(), theirs.end(), own.begin());
  }
  return reordered ? "issues the same collectives and waits in another order (inductor_collective_schedule)" : "";
}

} // namespace ccgraph
