// RowMovement: operators that give another shape to a value, and keep all of its elements in row-major order.
//
//   view, reshape, unsqueeze, squeeze     of a value without gaps, whose sizes may be expressions of symbols
//   cat of all parts of a split           if the parts are consecutive elements: f32[4, 6] split along dimension 0, or
//                                         f32[1, 4, 6] split along dimension 1, and put together likewise
//
// Tensor parallel programs that shard the sequence have such splits beside each collective, since collectives
// concatenate along dimension 0.
//
// Ownership: nodes belong to the graph. Failure: none; anything else is no movement. Cost: the parts.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace ccgraph {

struct RowMovement {
  /// the value whose elements move
  Node *source = nullptr;
  /// the nodes of the movement in program order, the result last
  llvm::SmallVector<Node *, 4> nodes;
};

/// Returns the movement whose result is this node.
[[nodiscard]] std::optional<RowMovement> movementTo(Node *result);
/// Returns the movement of the value that this reader of it begins, if its nodes have no other readers.
[[nodiscard]] std::optional<RowMovement> movementFrom(const Node &value, Node *reader);

/// Returns true for a view of a tensor whose sizes depend on symbols, without gaps. Its other operands are sizes.
[[nodiscard]] bool isSymbolicView(const Node &node);
/// Returns true for an operand of a view that is a number.
[[nodiscard]] bool isSize(const Node *operand);
/// Returns true for a tensor without gaps, whose sizes are numbers above 0 or expressions of symbols that the trace
/// knows, at least one of them.
[[nodiscard]] bool isDenseOfSymbols(const Node &value);
/// Returns true for a tensor of known sizes with elements, without gaps.
[[nodiscard]] bool isDense(const Node &value);
/// Returns true if one of the two above holds.
[[nodiscard]] bool hasNoGaps(const Node &value);
/// Returns true for such a tensor with two dimensions.
[[nodiscard]] bool isMatrix(const Node &value);

} // namespace ccgraph
