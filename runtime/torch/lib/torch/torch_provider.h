// The provider of PyTorch's kernels: its module is loaded when it is first asked for.
#pragma once

#include "ccgraph/runtime/kernel_provider.h"

namespace ccgraph::runtime {

[[nodiscard]] const KernelProvider &torchProvider();

} // namespace ccgraph::runtime
