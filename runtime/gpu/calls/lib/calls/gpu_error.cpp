#include "calls/gpu_error.h"

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph::runtime {

llvm::Error ncclError(std::string message, std::string repair) {
  Diagnostic diagnostic;
  diagnostic.rule = "run.nccl";
  diagnostic.message = std::move(message);
  if (!repair.empty())
    diagnostic.notes.push_back(std::move(repair));
  return makeError(std::move(diagnostic));
}

llvm::Error gpuError(const GpuCalls &calls, int64_t rank, const std::string &doing, int code) {
  Diagnostic diagnostic;
  diagnostic.rule = calls.ruleOf(code);
  diagnostic.message = "rank " + std::to_string(rank) + ": " + doing + ": " + calls.errorText(code);
  return makeError(std::move(diagnostic));
}

} // namespace ccgraph::runtime
