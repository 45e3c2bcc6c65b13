// The reference of a comparison where it is a parallel form: it is run on all its ranks, and the outputs that the ranks
// hold together take the place of those of a step of one device.
//
// Ownership: borrows the comparison; the trial owns the values. Failure: a DiagnosticError for placements that do not
// fit the graphs; Trial::problem for a step that cannot be evaluated. Cost: one evaluation of the reference;
// forEachReferenceValue joins each value in each way that its shapes allow.
#pragma once

#include "trial.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::equality {

/// Runs the reference, and sets Trial::referenceRanks and Trial::single. Returns the whole inputs, by
/// TensorPlacement::single.
[[nodiscard]] llvm::Expected<std::vector<Array>> runReference(const StepComparison &comparison, Trial &trial);

/// Returns where ranks of the reference that should hold equal values of an output do not; empty without a reference.
[[nodiscard]] std::optional<WrongOutput> replicasOfReference(const StepComparison &comparison, const Trial &trial,
                                                             const TensorPlacement &output);

/// Calls `visit` with the values that the ranks of the reference hold together at each node. How they hold a value is
/// not stated, so ranks of an axis that hold different values give one joined value for each dimension. Partial sums
/// are not added, since the reference reduces them where it needs them: an equal sum may lack the scale before it.
void forEachReferenceValue(const StepComparison &comparison, const Trial &trial,
                           llvm::function_ref<void(const Array &)> visit);

} // namespace ccgraph::equality
