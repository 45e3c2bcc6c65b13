// The meaning of Python's operators on tensors.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ccgraph::runtime {

/// "aten.mul.Tensor" for "operator.mul", of any spelling; empty for what is no arithmetic operator of Python.
[[nodiscard]] std::optional<llvm::StringRef> tensorOperator(llvm::StringRef target);

} // namespace ccgraph::runtime
