// Undefined outputs: those with elements that are no numbers in the evaluation, such as 0 / 0, or of which no digit is
// known, so that equal results prove nothing.
//
// Ownership: plain values. Failure: none. Cost: one pass over the outputs; the origin, one walk over the single graph.
#pragma once

#include "trial.h"

namespace ccgraph::equality {

/// Returns the positions in the placements of the outputs that have an element that is no number in the single step.
[[nodiscard]] std::vector<size_t> undefinedOutputs(const StepComparison &comparison, const Trial &trial);
/// Returns the first node of the single step, walking back from an output, whose operands are all numbers; null for a
/// trial that keeps no values, and where the reference is a parallel form.
[[nodiscard]] const Node *undefinedOrigin(const StepComparison &comparison, const Trial &trial, size_t output);

} // namespace ccgraph::equality
