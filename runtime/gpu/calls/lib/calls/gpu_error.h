// Errors of the device or its communication library, as diagnostics of rule run.nccl.
//
// Plain functions. Cost: none until an error is made.
#pragma once

#include "calls/gpu_calls.h"

#include "llvm/Support/Error.h"

namespace ccgraph::runtime {

/// Returns an error "rank 1: recording an event: CUDA says ...".
[[nodiscard]] llvm::Error gpuError(const GpuCalls &calls, int64_t rank, const std::string &doing, int code);
[[nodiscard]] llvm::Error ncclError(std::string message, std::string repair = "");

} // namespace ccgraph::runtime
