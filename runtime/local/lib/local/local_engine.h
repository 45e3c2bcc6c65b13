// The local engine: all ranks in this process, a thread each.
//
// Ownership, failure and cost: see engine.h.
#pragma once

#include "ccgraph/runtime/engine.h"

namespace ccgraph::runtime {

[[nodiscard]] const Engine &localEngine();

} // namespace ccgraph::runtime
