// GraphDigest: a name for what a program does, equal on every rank that runs it.
//
// Schedules, measured durations and the agreement of ranks are said of one program; the digest tells
// whether it is this one. It reads the rank-invariant view alone, the same that passes decide by, so
// two texts of one program have one digest, on any machine and with any version of this library that
// states the same form.
//
// The form: SHA-256 over "ccgraph digest 1\n" and then the graph, in which
//   number       base 128, low digits first, a bit set in all but the last; negative numbers by zigzag
//   text         its length, then its bytes
//   name         of an operator, type, group, symbol, device or attribute: which one in order of first
//                mention; a first mention is followed by what it is
//   node         opcode, target, type, positional arguments, keyword arguments by name, ordering
//                edges; other nodes by their position
//   placeholder  in place of the target whether the caller holds it (see lifetimes.h)
//   get_attr     in place of the target the name of the attribute; where it is a subgraph, that graph
//   group        how many ranks and which axis of its mesh, as far as known; what is only assumed is not
//   symbol       s0, u0, ... by their letter; the known value of a backed one, none of an unbacked one
//   device       its kind; an index only tells two devices of one program apart
// Not in it: names of nodes, graphs, groups and meshes, ranks, the world size, frames, provenance and
// durations, foreign keys of a file. A default that is spelled out differs from one that is left out.
//
// Ownership: plain value. Cost: linear; about 30 bytes a node are hashed. Fails never.
#pragma once

#include "ccgraph/ir/graph.h"

#include <array>

namespace ccgraph {

struct GraphDigest {
  std::array<uint8_t, 32> bytes = {};

  /// 64 hexadecimal digits, lower case.
  [[nodiscard]] std::string str() const;
  friend bool operator==(const GraphDigest &, const GraphDigest &) = default;
  friend auto operator<=>(const GraphDigest &, const GraphDigest &) = default;
};

[[nodiscard]] GraphDigest digestOf(const Graph &graph);

} // namespace ccgraph
