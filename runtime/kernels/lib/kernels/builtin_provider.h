// The provider of our own kernels.
#pragma once

#include "ccgraph/runtime/kernel_provider.h"

namespace ccgraph::runtime {

[[nodiscard]] const KernelProvider &builtinProvider();

} // namespace ccgraph::runtime
