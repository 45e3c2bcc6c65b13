// joinMicrobatches: the microbatches of one tensor as slices of one input, and those of outputs as one output.
//
// Ownership: edits the graphs and the placements. Failure: a DiagnosticError for a microbatch of unknown sizes, and for
// an output of which some microbatch is missing. Cost: linear in the inputs and outputs.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/placement.h"

#include "llvm/Support/Error.h"

namespace ccgraph::equality {

/// The placements are those of each of the graphs, of which none is at a stage.
[[nodiscard]] llvm::Error joinMicrobatches(llvm::ArrayRef<Graph *> graphs, StepPlacements &placements);

} // namespace ccgraph::equality
