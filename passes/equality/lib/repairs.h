// Repairs: nodes at which a small change of the value makes wrong outputs right.
//
// A missing or superfluous scale or reduction is undone by one: the value of one node is multiplied by a number of
// ranks or divided by it, or added over the ranks of an axis. All ranks are evaluated again with this value in place of
// the computed one. If then all wrong outputs that are computed from the node are right, and no other one is wrong, the
// mistake is at this node, or at one that only linear functions separate from it.
//
// Programs are repaired automatically by trying changes (C. Le Goues et al., GenProg, TSE 2012); here a repair only
// shows where the mistake is.
//
// Ownership: borrows the trial. Failure: none; a node that cannot be evaluated again has no repair. Cost: one
// evaluation of the ranks for each change that is tried, of which the estimated cost of the step limits the number.
// Nodes that do not depend on the changed one are not evaluated again.
#pragma once

#include "suspicion.h"

namespace ccgraph::equality {

/// Returns a node of rank 0 that has a repair, one of those of which it makes the most outputs right: a collective or a
/// scale if there is one, since most of what a repair undoes is one of these. Null if none has. The `likely` ones are
/// tried first.
[[nodiscard]] const Node *repairableNode(const StepComparison &comparison, Trial &trial, NodeMatches &matches,
                                         const Suspicion &suspicion, llvm::ArrayRef<const Node *> likely);

} // namespace ccgraph::equality
