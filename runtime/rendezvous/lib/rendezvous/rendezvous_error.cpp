#include "rendezvous/rendezvous_error.h"

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph::runtime {

llvm::Error rendezvousError(std::string message, std::string repair) {
  return makeError(diagnose("run.nccl", std::move(message), std::move(repair)));
}

} // namespace ccgraph::runtime
