// The backend `mpi`: the ranks of a group are processes that mpirun has started.
//
// Each group has two communicators, one for collectives and one for transfers, and calls the engine's own transport
// (mpi/mpi_transport.h). Launches are compared as they meet, and the collectives of a group are executed one
// after the other, so several may be in flight. The global rank of the job must be the rank that MPI gives
// to the process.
//
// Ownership: joins the process's MPI job (mpi/mpi_job.h). Failure: rules run.mpi, run.ranks-disagree, run.deadline; an
// error ends the job of all processes, as in the mpi engine. A call that no rank waits for ends the job at the first
// call of its rank after the deadline. Cost: MPI's, and a round of short messages for the comparison. MPI makes
// progress only in calls of the rank, and a wait makes progress for all groups of the process, which belong to one
// thread.
#pragma once

#include "ccgraph/runtime/backend.h"

namespace ccgraph::runtime {

[[nodiscard]] llvm::Expected<std::shared_ptr<Backend>> createMpiBackend(const BackendSetup &setup);

} // namespace ccgraph::runtime
