// PyTorch's estimator of collectives (torch/_inductor/comm_analysis.py, from 2.13 on), capped at line rate.
//
// It uses NCCL's constants, but only rings and trees. Across nodes there is no LL128, and a network reaches a higher
// share of its rate if more nodes take part and the message is larger. The cap is an addition of ccgraph: without it
// large messages would be faster than the wire.
//
// Ownership: none; a pure function. Failure: none. Cost: a few hundred nanoseconds.
#pragma once

#include "cost/collective_time.h"

namespace ccgraph {

/// Returns microseconds, for at least two ranks.
[[nodiscard]] double pytorchMicroseconds(const Machine &machine, const CollectiveShape &shape);

} // namespace ccgraph
