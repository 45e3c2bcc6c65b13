// The diagnostic of a rendezvous that fails.
//
// Its rule is run.nccl, because the engine nccl is the one whose processes meet here. Plain function. Cost: none until
// an error is made.
#pragma once

#include "llvm/Support/Error.h"

#include <string>

namespace ccgraph::runtime {

[[nodiscard]] llvm::Error rendezvousError(std::string message, std::string repair = "");

} // namespace ccgraph::runtime
