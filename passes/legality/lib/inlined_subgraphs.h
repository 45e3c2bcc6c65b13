// Inlined subgraphs: the check of a pass that replaces calls of subgraphs by the nodes of the subgraphs.
//
// Such a pass needs no other check. This one walks the program before in order, with each subgraph in place of its
// call. The program after must be exactly this sequence: the same operators with the same arguments, types, ordering
// edges and sources. Then both programs execute the same steps in the same order, so values, effects and the order of
// the collectives of each group are the same. The other checks compare steps one by one, and the call is one step that
// is replaced by many with effects of their own.
//
// Ownership: refers to the caller's values. Failure: findings; the walk ends at the first difference, since all nodes
// after it would differ too. Cost: linear in the nodes and edges of both programs; a call with ordering edges costs the
// nodes of its subgraph times these edges.
#pragma once

#include "ccgraph/legality/legality.h"

#include "correspondence.h"

namespace ccgraph::legality {

/// Returns true if an entry states that a subgraph replaces its call. All entries must then.
[[nodiscard]] bool inlinesSubgraphs(const Certificate &certificate);
/// Checks the whole rewrite, apart from the surroundings of the nodes (checkWellFormed).
void checkInlinedSubgraphs(const Rewrite &rewrite, const LegalityOptions &options, Findings &findings);

} // namespace ccgraph::legality
