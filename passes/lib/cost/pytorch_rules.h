// PyTorch's estimator of collectives (torch/_inductor/comm_analysis.py, from 2.13 on), capped at line rate.
//
// NCCL's constants, but rings and trees alone; across nodes no LL128, and a network that reaches more of its rate the
// more nodes take part and the larger the message is. The cap is ours: without it large messages would be faster than
// the wire.
//
// Pure function. Failure: none. Cost: a few hundred nanoseconds.
#pragma once

#include "cost/collective_time.h"

namespace ccgraph {

/// Of at least two ranks.
[[nodiscard]] double pytorchMicroseconds(const Machine &machine, const CollectiveShape &shape);

} // namespace ccgraph
