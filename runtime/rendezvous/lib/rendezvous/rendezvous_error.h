// The diagnostic of a rendezvous that fails, and its words.
//
// Its rule is run.nccl, because the engine nccl is the one whose processes meet here. Plain function. Cost: none until
// an error is made.
#pragma once

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ccgraph::runtime {

/// Returns "rank 1 has", or "ranks 1 and 2 have".
[[nodiscard]] std::string haveText(const std::vector<int64_t> &ranks);

[[nodiscard]] llvm::Error rendezvousError(std::string message, std::string repair = "");

} // namespace ccgraph::runtime
