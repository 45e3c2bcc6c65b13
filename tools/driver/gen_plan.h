// Ranks the parallelisms of a training run and writes the plan.
//
// Ownership: borrows the options. Failure: errors of the planner, of the machine file, or of an output file. Cost: that
// of the search.
#pragma once

#include "driver/gen_options.h"
#include "driver/streams.h"

namespace ccgraph::driver {

/// `options.request` has the sizes of the model and the sequence.
[[nodiscard]] llvm::Error writePlan(const GenOptions &options, Streams streams);

} // namespace ccgraph::driver
