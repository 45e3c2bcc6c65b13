// Legal edits: steps that change a graph and nothing of what it means, legal by construction.
//
// Ownership: edits change the result in place. Failure: false where there is no place for the edit. Cost: a few passes over the graph.
#pragma once

#include "legality/legal_results.h"

namespace ccgraph::test {

/// Swaps up to `count` random neighbours that share no edge, no storage that either writes or has in flight, and no domain.
bool swapNeighbours(LegalResult &result, Random &random, size_t count);
/// Merges by hand two to six neighbouring collectives of a group that stand before the first of their waits.
bool mergeNeighbours(LegalResult &result, Random &random);
/// Gives nodes that nobody reads, and that do nothing, away.
bool dropDead(LegalResult &result, Random &random);

} // namespace ccgraph::test
