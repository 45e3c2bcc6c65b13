// Determines which rank the launcher assigned to this process, for an engine that cannot query it, from the environment
// of torchrun, mpirun or srun.
//
// The rendezvous is the folder or address that the user gives. Without one, it is the port after torchrun's port, since
// torchrun itself listens on that.
//
// Plain function. Failure: variables that contradict each other, or a job of several processes without a rendezvous.
// Cost: none.
#pragma once

#include "ccgraph/runtime/engine.h"

namespace ccgraph::driver {

/// The values of --job-folder and --job-address.
struct RendezvousPlace {
  std::string folder, address;
};
/// Returns rank 0 of 1 without a launcher.
[[nodiscard]] llvm::Expected<runtime::JobPlace> placeOfLauncher(const RendezvousPlace &rendezvous);

} // namespace ccgraph::driver
