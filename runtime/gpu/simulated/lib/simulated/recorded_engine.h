// The engine nccl-recorded: the nccl engine's host code for each rank, on a thread, over recorded calls in place of a device.
//
// It shows what the nccl engine would do, call by call, and tries whether that is enough: what streams, events and groups leave open,
// the request's seed chooses (stream_model.h). Values are the interpreter's to the bit. It is no engine for work: two copies of
// everything, one thread at a time. As with devices, an error ends the job: who wants another run prepares anew.
//
// Ownership, failure and cost: see engine.h.
#pragma once

#include "ccgraph/runtime/engine.h"

namespace ccgraph::runtime {

[[nodiscard]] const Engine &recordedEngine();

} // namespace ccgraph::runtime
