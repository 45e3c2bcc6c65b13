// commonNodes: which nodes of two programs are one step of both, where one of them has further steps.
//
// The operators of both, in order, are compared as the lines of two files: the fewest steps are inserted and removed
// (E. W. Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1986).
//
// Ownership: values. Failure: empty for programs that differ in more than 256 steps. Cost: the nodes times the steps
// that differ.
#pragma once

#include "ccgraph/ir/graph.h"

#include <optional>
#include <vector>

namespace ccgraph::equality {

/// Returns whether two nodes are the same kind of step: one operator, whatever its operands.
[[nodiscard]] bool haveSameTarget(const Node &a, const Node &b);

/// By position in `a`: the node of `b` that is the same step; null for a step that `b` does not have.
[[nodiscard]] std::optional<std::vector<Node *>> commonNodes(llvm::ArrayRef<Node *> a, llvm::ArrayRef<Node *> b);

} // namespace ccgraph::equality
