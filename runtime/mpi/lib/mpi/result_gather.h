// Gathers the results of all ranks at the end of a run in one process.
//
// Ownership: the gathered values are the caller's. Failure: through MpiStandby; the result is then empty. Cost: a
// message from each rank to rank 0.
#pragma once

#include "ccgraph/runtime/engine.h"
#include "mpi/mpi_standby.h"

namespace ccgraph::runtime {

/// Returns results by rank: in process 0 those of all ranks, elsewhere only its own. All processes return when all have
/// sent theirs.
[[nodiscard]] std::optional<RunResult> gatherResults(TensorMap own, MpiStandby &standby);

/// Gathers the records of ranks. `own` is that of this rank, which may have no simulated end times.
[[nodiscard]] std::optional<RankTraces> gatherTraces(RankTraces own, MpiStandby &standby);

} // namespace ccgraph::runtime
