// What each rank has at the end of a run, in one process.
//
// Ownership: what is gathered is the caller's. Failure: through MpiStandby; nothing is given then. Cost: a message from each rank to
// rank 0.
#pragma once

#include "ccgraph/runtime/engine.h"
#include "mpi/mpi_standby.h"

namespace ccgraph::runtime {

/// By rank: in process 0 those of all ranks, elsewhere the own ones alone. All processes return when all have handed over.
[[nodiscard]] std::optional<RunResult> gatherResults(TensorMap own, MpiStandby &standby);

/// The same of what ranks remember. `own`: of this rank, whose stated ends may be none.
[[nodiscard]] std::optional<RankTraces> gatherTraces(RankTraces own, MpiStandby &standby);

} // namespace ccgraph::runtime
