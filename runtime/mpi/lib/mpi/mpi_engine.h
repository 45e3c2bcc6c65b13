// The mpi engine: a process for each rank, started by mpirun, which talk by MPI.
//
// Values are those of the interpreter to the bit (mpi_transport.h). MPI itself is in a module that is loaded when the engine is first
// asked for (mpi_calls.h).
//
// Ownership, failure and cost: see engine.h.
#pragma once

#include "ccgraph/runtime/engine.h"

namespace ccgraph::runtime {

[[nodiscard]] const Engine &mpiEngine();

} // namespace ccgraph::runtime
