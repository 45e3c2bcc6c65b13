// holdingOutputs: which of several placements of outputs hold, by values.
//
// Where it is not stated which output of the single step an output of the ranks is, and how the ranks hold it, each
// possible placement is compared with the values of one evaluation. A placement may hold by the nature of the program,
// or by a mistake: the mean of parameters that were updated by gradients that are not reduced is that of the single
// step. So the caller decides which placements to accept.
//
// Ownership: borrows the comparison; its outputs are not used. Failure: a DiagnosticError for inputs that do not fit
// the graphs. Cost: one evaluation of both steps, and one comparison for each candidate.
#pragma once

#include "ccgraph/equality/same_step.h"

namespace ccgraph::equality {

/// By candidate: the output of the ranks is that of the single step. Empty if the steps cannot be evaluated.
[[nodiscard]] llvm::Expected<std::vector<bool>> holdingOutputs(const StepComparison &comparison,
                                                               llvm::ArrayRef<TensorPlacement> candidates);

} // namespace ccgraph::equality
