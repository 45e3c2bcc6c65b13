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

/// All operands of a wrong value are values of the single graph, and one may be another value than the node needs, such
/// as a gradient of one use in place of the sum over all uses. Returns what computes the operands before they are
/// reduced, scaled or viewed.
[[nodiscard]] std::vector<const Node *> sourcesOf(const Node &node, const NodeMatches &matches);
/// Operands of a sum are multiples of what they should be, and others are not. All may be meant to be multiples, as
/// gradients of a local loss are. Returns what makes a value of the single graph of a multiple; one node at most.
[[nodiscard]] std::vector<const Node *> restoringOf(const Node &node, NodeMatches &matches);
/// Returns the constant from which a gradient starts, such as the ones that a loss has, over scales and views; null if
/// it starts from none.
[[nodiscard]] const Node *seedOf(const Node &origin, NodeMatches &matches);

/// Returns the only operand of a node that is a partial sum; null if there are none or several, and for a collective.
[[nodiscard]] const Node *partialOperandOf(const Node &node, NodeMatches &matches);

} // namespace ccgraph::equality
