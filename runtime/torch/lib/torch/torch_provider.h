// The provider of PyTorch's kernels; its module is loaded at its first use.
#pragma once

#include "ccgraph/runtime/kernel_provider.h"

namespace ccgraph::runtime {

[[nodiscard]] const KernelProvider &torchProvider();

} // namespace ccgraph::runtime
