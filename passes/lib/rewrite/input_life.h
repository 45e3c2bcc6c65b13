// Input life: whether the memory of a collective's input ends with the collective.
//
// Ownership: refers to the live bytes of the graph before the rewrite. Failure: none. Cost: the intervals that the wait
// holds, and their holders.
#pragma once

#include "analysis/live_bytes.h"

namespace ccgraph {

/// Returns true if the wait is the last holder of some tensor that existed before the launch, and no other node holds it
/// after the launch. Then a rewrite that reads the input only up to the launch frees this tensor for the time of the
/// collective.
[[nodiscard]] bool waitFreesInput(const LiveBytes &memory, const Node *launch, const Node *wait);

} // namespace ccgraph
