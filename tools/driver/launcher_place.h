// Which rank a launcher has made of this process, for an engine that cannot ask: what torchrun, mpirun and srun say in the environment.
//
// Plain function. Failure: variables that contradict each other, or a job of several processes without a folder to meet in. Cost: none.
#pragma once

#include "ccgraph/runtime/engine.h"

namespace ccgraph::driver {

/// Without a launcher: rank 0 of 1. `folder`: of --job-folder.
[[nodiscard]] llvm::Expected<runtime::JobPlace> placeOfLauncher(const std::string &folder);

} // namespace ccgraph::driver
