// What goes into a rank's program and what comes out of it.
//
// Inputs are held to their types, from which the rank learns its symbols, and copied into the rank's memory with the strides that
// their windows state. Results are copies for the caller, under the names that interpret() gives them.
//
// Ownership: borrows state and maps. Failure: DiagnosticErrors of rules run.no-input, run.type and run.memory. Cost: a copy of each
// value.
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
