// NCCL's tuning model: the best of its algorithms and protocols for a message (src/graph/tuning.cc).
//
//   time = latency + bytes / (1000 * bandwidth)          microseconds, GB/s
//
// NCCL finds channels and their total bandwidth by a search of the topology; here they are inputs: the links of the
// machine. A link across nodes is one rank's network card; the rings of a group use the cards of all its ranks on a
// node. NCCL has no model of transfers between two ranks and of all_to_all; they cost a base latency, a hop and the
// wire time.
//
// Ownership: none; pure functions. Failure: none. Cost: a few hundred nanoseconds.
#pragma once

#include "cost/collective_time.h"
#include "cost/nccl_constants.h"

#include <optional>

namespace ccgraph {

/// Returns the minimum over all choices of NCCL, for at least two ranks.
[[nodiscard]] double ncclMicroseconds(const Machine &machine, const CollectiveShape &shape);

/// Returns the bytes from which on an all_reduce across nodes has a larger latency with plain buffers.
[[nodiscard]] int64_t ncclSlowerAllReduce(const Machine &machine, const CollectiveShape &shape);

/// The time of one choice; empty if NCCL does not use it.
struct NcclTime {
  /// microseconds
  double latency = 0;
  /// GB/s of the message
  double bandwidth = 0;
};
[[nodiscard]] std::optional<NcclTime> ncclTime(const Machine &machine, const CollectiveShape &shape,
                                               nccl::Algorithm algorithm, nccl::Protocol protocol);

} // namespace ccgraph
