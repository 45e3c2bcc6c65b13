// The two halves of lowering's walk: what computes, and what communicates.
//
// Each takes one call of the program, adds the steps that it needs and yields the node's value. Failure: see lower.h. Calls that no step
// can be made of are looked for first.
#pragma once

#include "lower/emitter.h"

namespace ccgraph::lower {

/// Which views were made as copies, since where they lie could not be said: right only as long as nobody writes to either side.
struct CopiedView {
  const Node *node = nullptr;
  size_t step = 0;
};

/// Error (lower.operator): calls of operators that a plan cannot hold; each operator once, where it is called first.
[[nodiscard]] llvm::Error checkOperators(const Graph &graph);

[[nodiscard]] Lowered lowerCompute(Emitter &emitter, const Node &node, std::vector<CopiedView> &copied);
/// Error (lower.window): one of these is written after it was made.
[[nodiscard]] llvm::Error checkCopiedViews(const Plan &plan, llvm::ArrayRef<CopiedView> copied);

[[nodiscard]] Lowered lowerCollective(Emitter &emitter, const Node &node);
/// isend, irecv and batches of them; lowerCollective() calls it.
[[nodiscard]] Lowered lowerTransfers(Emitter &emitter, const Node &node);

} // namespace ccgraph::lower
