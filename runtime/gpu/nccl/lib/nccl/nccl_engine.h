// The nccl engine: a process a rank, each with a device, which communicate by NCCL.
//
// Processes are started by a launcher (torchrun, mpirun, srun), which tells each its place (Engine::setPlace), and meet
// in a folder or at a port (rendezvous.h). What each host does is NcclRank's.
//
// Ownership, failure and cost: see engine.h.
#pragma once

#include "ccgraph/runtime/engine.h"

namespace ccgraph::runtime {

[[nodiscard]] const Engine &ncclEngine();

} // namespace ccgraph::runtime
