// Repairs: nodes at which a small change of the value makes wrong outputs right.
//
// A mistake of one kind is undone by a small change (repair_changes.h): the value of one node is multiplied by a
// number, added over the ranks of an axis, or gets another sign or a further term. All ranks are evaluated again with
// this value in place of the computed one. If then all wrong outputs that are computed from the node are right, and no
// other one is wrong, the mistake is at this node, or at one that only linear functions separate from it.
//
// Programs are repaired automatically by trying changes (C. Le Goues et al., GenProg, TSE 2012); here a repair only
// shows where the mistake is.
//
// Ownership: borrows the trial. Failure: none; a node that cannot be evaluated again has no repair. Cost: one
// evaluation of the ranks for each change that is tried, of which the estimated time limits the number: a second in
// all. Nodes that do not depend on the changed one are not evaluated again.
#pragma once

#include "suspicion.h"

namespace ccgraph::equality {

/// Returns the nodes of rank 0 that have a repair, those of which it makes the most outputs right. First are scales and
/// averages that the repair takes back, then other collectives and scales, since most of what a repair undoes is one of
/// these, then some others. The `likely` ones are tried first.
[[nodiscard]] std::vector<const Node *> repairableNodes(const StepComparison &comparison, Trial &trial,
                                                        NodeMatches &matches, const Suspicion &suspicion,
                                                        llvm::ArrayRef<const Node *> likely);

} // namespace ccgraph::equality
