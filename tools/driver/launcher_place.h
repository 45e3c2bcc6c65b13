// Which rank a launcher has made of this process, for an engine that cannot ask: what torchrun, mpirun and srun say in the environment.
//
// Where processes meet is what the user says, a folder or an address; else the port after torchrun's, since torchrun itself listens on that.
//
// Plain function. Failure: variables that contradict each other, or a job of several processes with nowhere to meet. Cost: none.
#pragma once

#include "ccgraph/runtime/engine.h"

namespace ccgraph::driver {

/// Of --job-folder and --job-address.
struct MeetingPlace {
  std::string folder, address;
};
/// Without a launcher: rank 0 of 1.
[[nodiscard]] llvm::Expected<runtime::JobPlace> placeOfLauncher(const MeetingPlace &meeting);

} // namespace ccgraph::driver
