// Results of all ranks in one process.
//
// Ownership: the result is the caller's. Failure: through MpiStandby; the result is then empty. Cost: a message from each rank to rank 0.
#pragma once

#include "ccgraph/runtime/interpreter.h"
#include "mpi/mpi_standby.h"

namespace ccgraph::runtime {

/// By rank: in process 0 those of all ranks, elsewhere the own ones alone. All processes return when all have handed over.
[[nodiscard]] std::optional<RunResult> gatherResults(TensorMap own, MpiStandby &standby);

} // namespace ccgraph::runtime
