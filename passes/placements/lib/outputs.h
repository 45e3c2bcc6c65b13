// checkOutputs: compares how the ranks hold the outputs with the placements that a caller states.
//
// An output that should be replicated or sharded and is a partial sum lacks a reduction; one that should be replicated
// and is sharded lacks a gather. An output about which no rule knows anything is undecided.
//
// Ownership: borrows the state; adds to its answer. Failure: none. Cost: linear in the outputs.
#pragma once

#include "placed_call.h"

namespace ccgraph::placements {

void checkOutputs(InferenceState &state);

} // namespace ccgraph::placements
