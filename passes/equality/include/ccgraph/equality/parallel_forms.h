// compareForms: do two parallel forms of one step compute the same?
//
// FSDP and FSDP x TP, a trainer before and after a change, a job before and after a pass: each form is a job of its own
// with its own mesh and groups. The placements of each form name the tensors that it holds (TensorPlacement::of), and
// tensors of one name correspond: the whole tensor that a device would hold is cut for the ranks of each form, and the
// outputs of each form are joined again. So no step of one device is needed. TensorPlacement::single is not used.
//
// The answer is that of compareSteps, with the first form as the reference. A tensor that only one form has is stated
// in `assumed`, and the forms are then not called the same.
//
// Ownership, failure and cost: those of compareSteps; the forms are evaluated once for each trial.
#pragma once

#include "ccgraph/equality/same_step.h"

namespace ccgraph::equality {

struct FormComparison {
  ParallelForm reference;
  ParallelForm compared;
  /// evaluations with different numbers, at least 1
  unsigned trials = 2;
  uint64_t seed = 1;
};

[[nodiscard]] llvm::Expected<StepAnswer> compareForms(const FormComparison &comparison);

} // namespace ccgraph::equality
