// The meaning of Python's operators on tensors.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ccgraph::runtime {

/// Returns "aten.mul.Tensor" for "operator.mul", in any form; empty for other targets.
[[nodiscard]] std::optional<llvm::StringRef> tensorOperator(llvm::StringRef target);

} // namespace ccgraph::runtime
