// repeatedMicrobatches: where a step computes one microbatch again in place of another one.
//
//   e0 = embedding(w, t0), e1 = embedding(w, t1), e2 = embedding(w, t0)      ->  e2: no call has microbatch 2
//
// A step that recomputes has all microbatches, some of them twice, and repeats none in place of another.
//
// Ownership: none. Failure: none. Cost: one look-up for each node of rank 0.
#pragma once

#include "node_matches.h"

namespace ccgraph::equality {

/// Returns the nodes of rank 0 that repeat a microbatch of which an earlier node has the value, where some microbatch
/// of the value is missing. Nodes that only follow from these are left out.
[[nodiscard]] std::vector<const Node *> repeatedMicrobatches(const StepComparison &comparison, NodeMatches &matches);

} // namespace ccgraph::equality
