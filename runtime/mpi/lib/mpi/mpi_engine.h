// The mpi engine: a process for each rank, started by mpirun, which talk by MPI.
//
// Values are bitwise equal to the interpreter's (mpi_transport.h). MPI itself is in a module that is loaded at the
// engine's first use (mpi_calls.h).
//
// Ownership, failure and cost: see engine.h.
#pragma once

#include "ccgraph/runtime/engine.h"

namespace ccgraph::runtime {

[[nodiscard]] const Engine &mpiEngine();

} // namespace ccgraph::runtime
