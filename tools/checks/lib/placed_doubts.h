// addPlacedDoubts: adds what the placements of a wrong step doubt to the nodes that its values doubt.
//
// Where two placements do not fit, a collective is missing or superfluous, and the values name the first node that
// computes with its result. The first finding is used, since others may follow from it.
//
// Ownership: changes the answer. Failure: none; placements that cannot be inferred add nothing. Cost: that of
// inferPlacements.
#pragma once

#include "ccgraph/equality/same_step.h"

namespace ccgraph {

/// Puts the node of the first finding, and the value where it arises, behind the first node of the answer, which must
/// be that of the comparison. An answer that the steps are equal stays as it is.
void addPlacedDoubts(equality::StepAnswer &answer, const equality::StepComparison &comparison);

} // namespace ccgraph
