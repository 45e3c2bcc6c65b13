// GraphDigest: a hash that identifies what a program computes, equal on every rank that runs it.
//
// Schedules, measured durations and the agreement of ranks refer to one program; the digest identifies it. It reads
// only the rank-invariant view, which passes also use for their decisions. So two texts of one program have one digest,
// on any machine and with any version of this library that states the same form.
//
// The form: SHA-256 over "ccgraph digest 1\n" and then the graph, in which
//   number       base 128, low digits first, a bit set in all but the last; negative numbers by zigzag
//   text         its length, then its bytes
//   name         of an operator, type, group, symbol, device or attribute: its index in order of first mention; a first
//                mention is followed by its meaning
//   node         opcode, target, type, positional arguments, keyword arguments by name, ordering edges; other nodes by
//                their position
//   placeholder  instead of the target whether it is caller-owned (see lifetimes.h)
//   get_attr     instead of the target the name of the attribute; for a subgraph, that graph
//   group        number of ranks and axis of its mesh, as far as known; assumptions are excluded
//   symbol       s0, u0, ... by their letter; the known value of a backed one, none of an unbacked one
//   device       its kind; an index only distinguishes two devices of one program
// Excluded: names of nodes, graphs, groups and meshes, ranks, the world size, frames, provenance and durations, foreign
// keys of a file. A default that is written out differs from one that is left out.
//
// Ownership: plain value. Failure: none. Cost: linear; about 30 bytes a node are hashed.
#pragma once

#include "ccgraph/ir/graph.h"

#include <array>

namespace ccgraph {

struct GraphDigest {
  std::array<uint8_t, 32> bytes = {};

  /// Returns 64 hexadecimal digits, lower case.
  [[nodiscard]] std::string str() const;
  friend bool operator==(const GraphDigest &, const GraphDigest &) = default;
  friend auto operator<=>(const GraphDigest &, const GraphDigest &) = default;
};

[[nodiscard]] GraphDigest digestOf(const Graph &graph);

} // namespace ccgraph
