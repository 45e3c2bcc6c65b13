#include "tensor/call_name.h"

namespace ccgraph::runtime {

Diagnostic diagnoseCall(const CallName &call, llvm::StringRef rule, std::string message, std::string repair) {
  if (call.node)
    return diagnose(*call.node, rule, std::move(message), std::move(repair));
  Diagnostic result;
  result.rule = rule.str();
  result.where = call.name.str().str();
  result.message = std::move(message);
  if (!repair.empty())
    result.notes.push_back(std::move(repair));
  return result;
}

} // namespace ccgraph::runtime
