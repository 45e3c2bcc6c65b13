#include "tensor/call_name.h"

namespace ccgraph::runtime {

Diagnostic diagnoseCall(const CallName &call, llvm::StringRef rule, std::string message, std::string repair) {
  if (call.node)
    return diagnose(*call.node, rule, std::move(message), std::move(repair));
  Diagnostic result = diagnose(rule, std::move(message), std::move(repair));
  result.where = call.name.str().str();
  return result;
}

} // namespace ccgraph::runtime
