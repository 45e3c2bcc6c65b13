// Subgraph calls: which subgraph a get_attr names, which subgraphs a node runs, and on which arguments.
//
//   control_deps((p,), body, x, y)            body(x, y)
//   invoke_subgraph(body, "layer", x, y)      body(x, y)
//   cond(p, body, other, (x, y))              body(x, y) or other(x, y)
//   while_loop(test, body, (x,), (y,))        test(x, y) and body(x, y), with what body returned in place of x
//
// Other higher-order operators (scan, map, flex_attention) slice or stack what their bodies read, so a body's
// placeholders are no arguments of the node.
//
// Ownership: borrows the node and its graph. Never fails: a subgraph that the text does not contain is left out.
// Cost: linear in the arguments.
#pragma once

#include "ccgraph/ir/graph.h"

namespace ccgraph {

/// How a node runs its subgraphs.
enum class SubgraphUse : uint8_t {
  None,   ///< the node runs no subgraph, or in a way that this header does not describe
  Once,   ///< control_deps, invoke_subgraph
  Choice, ///< cond: the first subgraph where the first argument is true, else the second
  Loop    ///< while_loop: the second subgraph while the first returns true
};

struct SubgraphCalls {
  SubgraphUse use = SubgraphUse::None;
  /// in the order of the arguments
  llvm::SmallVector<Graph *, 2> bodies;
  /// one for each placeholder of each body
  llvm::SmallVector<Argument, 8> arguments;
};

/// Returns the subgraph that a get_attr names; null for any other node, and for a get_attr of something else.
[[nodiscard]] Graph *namedSubgraph(const Node &attribute);

/// Returns the subgraphs that a call of an operator runs. `use` is None where one of them is missing.
[[nodiscard]] SubgraphCalls subgraphCallsOf(const Node &node);

} // namespace ccgraph
