// Words of PyTorch's flight recorder, and ours for the same.
//
// Plain functions; nothing fails. Cost: a look at a small table.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace ccgraph {

/// "f32" for "Float"; PyTorch's word where ccgraph has none.
[[nodiscard]] std::string dtypeOfFlight(llvm::StringRef word);
/// "Float" for "f32"; the word itself where PyTorch's is not known.
[[nodiscard]] std::string flightWordOf(llvm::StringRef dtype);

} // namespace ccgraph
