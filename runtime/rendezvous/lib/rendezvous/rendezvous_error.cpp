#include "rendezvous/rendezvous_error.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/text.h"

namespace ccgraph::runtime {

std::string haveText(const std::vector<int64_t> &ranks) {
  return ranksText(ranks) + (ranks.size() == 1 ? " has" : " have");
}

llvm::Error rendezvousError(std::string message, std::string repair) {
  return makeError(diagnose("run.nccl", std::move(message), std::move(repair)));
}

} // namespace ccgraph::runtime
