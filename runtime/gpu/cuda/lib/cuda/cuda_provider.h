// Device kernels for a few operators, those of a training step of a transformer; each consists of jobs (device/job.h).
//
// Here a call's values become jobs: which arithmetic, which windows. What a job does stands in runtime/gpu/device, for
// devices and the CPU alike; the module of the nccl engine launches it. So all that the provider decides is the same in
// a recorded run.
//
// Parameters, defaults and results are those of our host kernels (kernels.h); tests compare both.
//
// Ownership: lives until the program ends. Failure: an unsupported request (a dtype, an arrangement) is an error of the
// step. Cost: about a microsecond a call, on the host.
#pragma once

#include "ccgraph/runtime/kernel_provider.h"
#include "device/job.h"

namespace ccgraph::runtime {

[[nodiscard]] const KernelProvider &cudaProvider();

/// Returns the jobs that the provider would enqueue for a call of one of its operators.
[[nodiscard]] llvm::Expected<std::vector<device::Job>> cudaJobs(llvm::StringRef target, llvm::ArrayRef<Value> values,
                                                                llvm::ArrayRef<Tensor> destinations);

} // namespace ccgraph::runtime
