// View job: writes what the flags of views ask for, once a pipeline has run.
//
// Ownership: borrows the run for the call. Failure: what the system said of a file. Cost: that of the writers.
#pragma once

#include "ccgraph/passes/pass_manager.h"
#include "driver/view_flags.h"

namespace ccgraph::driver {

/// `run` holds both schedules where the flags want them.
[[nodiscard]] llvm::Error writeViews(const ViewFlags &flags, const PipelineRun &run);

} // namespace ccgraph::driver
