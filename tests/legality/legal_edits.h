// Legal edits: steps that change a graph and nothing of what it means, legal by construction.
//
// They are the other half of illegal_edits.h: a checker that refuses everything would pass that
// one. Each keeps the certificate as an honest pass would.
//
// Ownership: edits change the result's graph and certificate in place. Failure: false where there
// is no place for the edit; the result is then unchanged. Cost: a few passes over the graph.
#pragma once

#include "legality/legal_results.h"

namespace ccgraph::test {

/// Swaps up to `count` random neighbours that share no edge, no storage that either writes or has
/// in flight, and no domain.
bool swapNeighbours(LegalResult &result, Random &random, size_t count);
/// Merges by hand two to six neighbouring collectives of a group that stand before the first of their waits.
bool mergeNeighbours(LegalResult &result, Random &random);
/// Gives nodes that nobody reads, and that do nothing, away.
bool dropDead(LegalResult &result, Random &random);

} // namespace ccgraph::test
