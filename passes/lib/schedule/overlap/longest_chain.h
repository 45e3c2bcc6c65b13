// longestChain: the longest chain of steps of which each needs the one before it.
//
// Most of a program depends on such a chain, or is needed by it, so what is known of its steps tells much about all
// orders.
//
// Ownership: plain values. Failure: none. Cost: linear in edges.
#pragma once

#include "schedule/overlap/problem.h"

namespace ccgraph::overlap {

/// Returns the chain in program order; empty for a program without steps.
[[nodiscard]] std::vector<uint32_t> longestChain(const Problem &problem);

} // namespace ccgraph::overlap
