// The two halves of lowering's traversal: computation and communication.
//
// Each function lowers one call of the graph: it adds the steps that the call needs and returns the node's value.
// Failure: see lower.h. Calls that cannot become a step are found first.
#pragma once

#include "lower/emitter.h"

namespace ccgraph::lower {

/// A view that became a copy because its place is unknown. It is correct only as long as neither side is written.
struct CopiedView {
  const Node *node = nullptr;
  size_t step = 0;
};

/// Returns an error (lower.operator) with the calls of operators that a plan cannot hold; each operator once, at its
/// first call.
[[nodiscard]] llvm::Error checkOperators(const Graph &graph);

[[nodiscard]] Lowered lowerCompute(Emitter &emitter, const Node &node, std::vector<CopiedView> &copied);
/// Returns an error (lower.window) if one of these is written after it was copied.
[[nodiscard]] llvm::Error checkCopiedViews(const Plan &plan, llvm::ArrayRef<CopiedView> copied);

/// Lowers ao.offload and ao.reload to a copy on the stream of these copies.
[[nodiscard]] Lowered lowerHostCopy(Emitter &emitter, const Node &node);

[[nodiscard]] Lowered lowerCollective(Emitter &emitter, const Node &node);
/// Lowers isend, irecv and batches of them; lowerCollective() calls it.
[[nodiscard]] Lowered lowerTransfers(Emitter &emitter, const Node &node);

} // namespace ccgraph::lower
