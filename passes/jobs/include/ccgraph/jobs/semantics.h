// Semantics: what must have completed before a launch of communication arrives.
//
// Systems differ in how far a rank gets while it waits. A launch *arrives* when its rank has issued it and everything
// that must come first on that rank has completed. A collective *completes* when the launches of all members have
// arrived, a transfer when both ends have, and a batch of transfers when all its transfers have. Each semantics adds
// to the previous collective of the group (the previous transfer of the group, sender, receiver and tag):
//
//   dataflow            what the input is computed from, what the host has read, and barriers before
//                       (an event for each value: plans of ccgraph, XLA's start and done)
//   streams             everything that was waited for before, and barriers
//                       (PyTorch with NCCL: a launch follows the current stream; gloo: a wait stops the host)
//   one-at-a-time       the same, and the previous collective of the rank, whatever its group
//                       (kernels of several communicators need not be resident together: NCCL user guide, "Using
//                       multiple NCCL communicators concurrently"; CUDA_DEVICE_MAX_CONNECTIONS=1)
//   blocking            every launch before; a send completes with its receive
//                       (synchronous c10d, blocking calls of MPI with rendezvous, TORCH_NCCL_BLOCKING_WAIT)
//   blocking-buffered   every launch before; a send completes when it arrives
//                       (the same with buffers of the library: eager sends)
//
// Ownership: plain values. Failure: parseSemantics returns no value for another word. Cost: constant.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <optional>

namespace ccgraph::jobs {

enum class Semantics : uint8_t { Dataflow, Streams, OneAtATime, Blocking, BlockingBuffered };
inline constexpr std::array<Semantics, 5> allSemantics = {
    Semantics::Dataflow, Semantics::Streams, Semantics::OneAtATime, Semantics::Blocking, Semantics::BlockingBuffered};
/// "dataflow", "streams", "one-at-a-time", "blocking", "blocking-buffered".
[[nodiscard]] llvm::StringRef semanticsName(Semantics semantics);
[[nodiscard]] std::optional<Semantics> parseSemantics(llvm::StringRef word);

} // namespace ccgraph::jobs
