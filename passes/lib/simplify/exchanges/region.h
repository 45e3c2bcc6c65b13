// ExchangeRegion: nodes that one value needs and no other node reads, which simplify-collectives replaces.
//
// The value is `result`; `gone` are the other nodes that go with it. The launches, waits, casts and movements of a
// region form a chain, so each has one reader. `launch` is the collective whose place in the order of its group the
// built collective takes; the others lose their place.
//
// Ownership: nodes belong to the graph. Plain values. Failure: none. Cost: a few nodes.
#pragma once

#include "rewrite/bucket.h"

namespace ccgraph {

struct ExchangeRegion {
  Node *result = nullptr;
  Node *launch = nullptr;
  /// the first collective of the region; equal to `launch` if it is the only one
  Node *first = nullptr;
  /// the value that the region reads
  Node *input = nullptr;
  /// all launches, in program order
  llvm::SmallVector<Node *, 2> launches;
  /// the nodes besides `result` and `launch`, in an order in which each can be erased after its readers
  llvm::SmallVector<Node *, 4> gone;
  /// the cast of the region, if it has one
  Node *cast = nullptr;
};

/// Returns the only node that reads the value, which reads it once; null if there are several or none, or if a node is
/// ordered after the value.
[[nodiscard]] Node *onlyReader(const Node &value);
/// Returns the wait that alone reads the launch; null if there is none.
[[nodiscard]] Node *onlyWait(const Node &launch);
/// Returns true for a functional collective on one tensor, of this kind.
[[nodiscard]] bool isFunctional(const Node &node, CollectiveKind kind);
/// Returns true if the node has an ordering edge from or to another.
[[nodiscard]] bool hasOrdering(const Node &node);
} // namespace ccgraph
