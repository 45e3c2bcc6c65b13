// Legal edits change a graph without changing its meaning, legal by construction.
//
// They complement illegal_edits.h, whose tests a checker that refuses everything would pass. Each edit updates the
// certificate as an honest pass would.
//
// Ownership: edits change the result's graph and certificate in place. Failure: returns false if there is no place for
// the edit; the result is then unchanged. Cost: a few passes over the graph.
#pragma once

#include "legality/legal_results.h"

namespace ccgraph::test {

/// Swaps up to `count` random neighbors that share no edge, no storage that either writes or has in flight, and no
/// domain.
bool swapNeighbours(LegalResult &result, Random &random, size_t count);
/// Merges two to six neighboring collectives of a group that precede the first of their waits, without a pass.
bool mergeNeighbours(LegalResult &result, Random &random);
/// Removes nodes without readers and effects.
bool dropDead(LegalResult &result, Random &random);

} // namespace ccgraph::test
