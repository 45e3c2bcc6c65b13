// lackingTerms: values of the ranks to which the single step adds another value, and the ranks add nothing.
//
// A gradient of which one term is not computed, since a use of the parameter is detached, is such a value: all that the
// ranks compute is right, and a term is missing.
//
// Ownership: borrows the comparison and the matches. Failure: none. Cost: one look-up for each node of rank 0.
#pragma once

#include "node_matches.h"

namespace ccgraph::equality {

/// Returns the first node of rank 0 of each such value, in order. Values of the single graph that the ranks add in no
/// form are such: neither the value, nor a part or a multiple of it, is read by an addition.
[[nodiscard]] std::vector<const Node *> lackingTerms(const StepComparison &comparison, NodeMatches &matches);

} // namespace ccgraph::equality
