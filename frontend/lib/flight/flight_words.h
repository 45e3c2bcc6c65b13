// Names of PyTorch's flight recorder and the matching names of ccgraph.
//
// Plain functions; nothing fails. Cost: a comparison with each dtype's name.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace ccgraph {

/// Returns "f32" for "Float"; PyTorch's word where ccgraph has none.
[[nodiscard]] std::string dtypeOfFlight(llvm::StringRef word);
/// Returns "Float" for "f32"; the word itself where PyTorch's is unknown.
[[nodiscard]] std::string flightWordOf(llvm::StringRef dtype);

} // namespace ccgraph
