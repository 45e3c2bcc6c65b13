// The constants of NCCL's tuning model (src/graph/tuning.cc, which changed little from 2.18 to 2.30).
//
// Microseconds and GB/s (10^9 bytes), by algorithm, protocol, generation and number of nodes, as NCCL states them.
// Plain data; nothing is owned and nothing fails.
#pragma once

#include "ccgraph/ir/machine.h"

namespace ccgraph::nccl {

/// Algorithms, in the order in which they are tried.
enum class Algorithm : uint8_t { Tree, Ring, Nvls, NvlsTree, Pat };
inline constexpr Algorithm allAlgorithms[] = {Algorithm::Tree, Algorithm::Ring, Algorithm::Nvls, Algorithm::NvlsTree,
                                              Algorithm::Pat};
/// Protocols: 8 bytes of which 4 are flags, 128 of which 8 are, and plain buffers.
enum class Protocol : uint8_t { LL, LL128, Simple };
inline constexpr Protocol allProtocols[] = {Protocol::LL, Protocol::LL128, Protocol::Simple};

/// Returns the cost of a launch before the first byte moves.
[[nodiscard]] double baseLatency(Algorithm algorithm, Protocol protocol);
/// Returns the cost of one hop over a link.
[[nodiscard]] double hopLatency(LinkKind kind, Algorithm algorithm, Protocol protocol);

/// Returns the largest bandwidth of LL inside a node.
[[nodiscard]] double mostOfLL(Generation generation, int64_t nodes);
/// Return the largest bandwidth of one channel.
[[nodiscard]] double mostOfRing128(Generation generation, int64_t nodes);
[[nodiscard]] double mostOfTree128(Generation generation, int64_t nodes);
[[nodiscard]] double mostOfTree(Generation generation, int64_t nodes);
[[nodiscard]] double mostOfNvlsTree(Generation generation, int64_t nodes);

/// Returns the fraction of its bandwidth that a tree reaches with a message of 2^i * 64 bytes.
[[nodiscard]] double treeCorrection(Protocol protocol, int64_t bytes);

} // namespace ccgraph::nccl
