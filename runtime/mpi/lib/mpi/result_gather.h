// Gathers the results of all ranks at the end of a run in one process.
//
// Ownership: the gathered values are the caller's. Failure: through MpiStandby; the result is then empty. Cost: a
// message from each rank to rank 0.
#pragma once

#include "ccgraph/runtime/engine.h"
#include "mpi/mpi_standby.h"

namespace ccgraph::runtime {

/// By rank: in process 0 those of all ranks, elsewhere the own ones alone. All processes return when all have handed over.
[[nodiscard]] std::optional<RunResult> gatherResults(TensorMap own, MpiStandby &standby);

/// The same of what ranks remember. `own`: of this rank, whose stated ends may be none.
[[nodiscard]] std::optional<RankTraces> gatherTraces(RankTraces own, MpiStandby &standby);

} // namespace ccgraph::runtime
