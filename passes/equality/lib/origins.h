// originsOf: where a value becomes a multiple of what it should be.
//
// Ownership: borrows the matches. Failure: none. Cost: at most 512 nodes before the reader.
#pragma once

#include "node_matches.h"

namespace ccgraph::equality {

/// What a walk back over multiples meets, the nearest first.
struct Origins {
  /// a scale or a collective like no other
  const Node *oddCall = nullptr;
  /// collectives, products that are not what their operands make them, and right values of a multiple
  std::vector<const Node *> met;
  /// makes a multiple from right operands
  const Node *origin = nullptr;
};

/// Returns what is before a wrong value of which an operand is a multiple.
[[nodiscard]] Origins originsOf(const Node &reader, NodeMatches &matches);

} // namespace ccgraph::equality
