// What a run holds at most and what it returns, whether the interpreter or an engine executes it.
//
// Ownership: plain values of the caller.
#pragma once

#include "ccgraph/ir/host_tensor.h"

#include <cstdint>
#include <vector>

namespace ccgraph::runtime {

/// The memory limit in bytes of a request that states none.
inline constexpr int64_t defaultMemoryLimit = int64_t{64} << 30;

/// By rank: `out.<index>` for every tensor or number returned (nested lists counted through; none
/// and opaque values left out), and `after.<placeholder>` for every input whose storage was
/// written.
using RunResult = std::vector<TensorMap>;

} // namespace ccgraph::runtime
