// The module that calls MPI, found and loaded (loaded_module.h).
//
// Ownership: the module stays until the process ends. Failure: an llvm::Error that names the missing part and the way
// to get it. Cost: that of loading MPI's libraries, once.
#pragma once

#include "mpi/mpi_calls.h"

#include "llvm/Support/Error.h"

namespace ccgraph::runtime {

[[nodiscard]] llvm::Expected<MpiCalls *> loadMpiModule();

} // namespace ccgraph::runtime
