// The engine nccl-recorded: the nccl engine's host code for each rank, on a thread, over recorded calls in place of a
// device.
//
// It shows the calls of the nccl engine and tests whether they order the work sufficiently: the request's seed chooses
// among the orders that streams, events and groups allow (stream_model.h). Values are bitwise equal to the
// interpreter's. It is not made for speed: it copies everything twice and runs one thread at a time. As with devices,
// an error ends the job: another run requires a new preparation.
//
// Ownership, failure and cost: see engine.h.
#pragma once

#include "ccgraph/runtime/engine.h"

namespace ccgraph::runtime {

[[nodiscard]] const Engine &recordedEngine();

} // namespace ccgraph::runtime
