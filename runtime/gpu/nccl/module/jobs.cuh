// Launches of jobs (device/job.h): a block for each unit, as far as a grid goes, and its threads as the team's threads.
//
// Plain function, which enqueues to the stream. Failure: the CUDA runtime's code; a job that fails traps, which the
// next call reports. Cost: one kernel.
#pragma once

#include "device/job.h"

#include <cuda_runtime.h>

namespace ccgraph::runtime::device {

cudaError_t launch(const Job &job, cudaStream_t stream);

} // namespace ccgraph::runtime::device
