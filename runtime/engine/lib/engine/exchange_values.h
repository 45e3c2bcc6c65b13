// The inputs and results of a rank's plan.
//
// Inputs are checked against their types, which give the rank the values of its symbols. They are copied into the
// rank's memory with the strides of their windows. Results are copies for the caller, under the names that interpret()
// uses.
//
// Ownership: borrows state and maps. Failure: DiagnosticErrors of rules run.no-input, run.type and run.memory. Cost: a
// copy of each value.
#pragma once

#include "engine/rank_state.h"

#include <deque>

namespace ccgraph::runtime {

/// Numbers and symbols first, then memory, then elements.
[[nodiscard]] llvm::Error bringInputs(RankState &state, const TensorMap &inputs);
/// Copies count towards the run's memory for as long as this lives.
using CopiesForCaller = std::deque<CountedBytes::Hold>;
/// `out.<i>` and `after.<placeholder>`.
[[nodiscard]] llvm::Expected<TensorMap> takeResults(const RankState &state, CopiesForCaller &copies);

} // namespace ccgraph::runtime
