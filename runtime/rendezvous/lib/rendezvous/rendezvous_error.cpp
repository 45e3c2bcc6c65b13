#include "rendezvous/rendezvous_error.h"

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph::runtime {

llvm::Error rendezvousError(std::string message, std::string repair) {
  Diagnostic diagnostic;
  diagnostic.rule = "run.nccl";
  diagnostic.message = std::move(message);
  if (!repair.empty())
    diagnostic.notes.push_back(std::move(repair));
  return makeError(std::move(diagnostic));
}

} // namespace ccgraph::runtime
