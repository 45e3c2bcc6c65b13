// NCCL's tuning model: the best of its algorithms and protocols for a message (src/graph/tuning.cc).
//
//   time = latency + bytes / (1000 * bandwidth)          microseconds, GB/s
//
// What NCCL finds by searching the topology, channels and the bandwidth that all of them reach, are inputs here: the
// links of the machine. A link across nodes is one rank's card; the rings of a group go over the cards of all its ranks
// on a node. What NCCL has no model of, transfers between two ranks and all_to_all, is a base latency, a hop and the
// wire.
//
// Pure functions. Failure: none. Cost: a few hundred nanoseconds.
#pragma once

#include "cost/collective_time.h"
#include "cost/nccl_constants.h"

#include <optional>

namespace ccgraph {

/// Of at least two ranks: the least over all that NCCL could choose.
[[nodiscard]] double ncclMicroseconds(const Machine &machine, const CollectiveShape &shape);

/// One choice. Empty where NCCL does not take it.
struct NcclTime {
  /// microseconds
  double latency = 0;
  /// GB/s of the message
  double bandwidth = 0;
};
[[nodiscard]] std::optional<NcclTime> ncclTime(const Machine &machine, const CollectiveShape &shape,
                                               nccl::Algorithm algorithm, nccl::Protocol protocol);

} // namespace ccgraph
