#include "calls/gpu_error.h"

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph::runtime {

llvm::Error ncclError(std::string message, std::string repair) {
  return makeError(diagnose("run.nccl", std::move(message), std::move(repair)));
}

llvm::Error gpuError(const GpuCalls &calls, int64_t rank, const std::string &doing, int code) {
  return makeError(
      diagnose(calls.ruleOf(code), "rank " + std::to_string(rank) + ": " + doing + ": " + calls.errorText(code)));
}

} // namespace ccgraph::runtime
