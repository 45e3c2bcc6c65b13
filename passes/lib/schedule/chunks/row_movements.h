// RowMovement: operators that give another shape to a value, and keep all of its elements in row-major order, or
// exchange the order of ranks and sequences.
//
//   view, reshape, unsqueeze, squeeze     of a value without gaps, whose sizes may be expressions of symbols
//   cat of all parts of a value           the parts are those of a split, or slices; if they are consecutive elements,
//                                         all elements stay in order: f32[4, 6] split along dimension 0, or
//                                         f32[1, 4, 6] split along dimension 1, and put together likewise
//
// Tensor parallel programs that shard the sequence have such splits beside each collective, since collectives
// concatenate along dimension 0. With several sequences, the parts of each sequence lie apart. For 2 ranks and 3
// sequences of 8 rows:
//
//   after a gather      f32[6, 4, C] split along dimension 0: the share of each rank, f32[3, 4, C]
//                       cat along dimension 1, f32[3, 8, C]: for each sequence, the rows of each rank
//   before a reduction  f32[3, 8, C] split along dimension 1, and cat along dimension 0, f32[6, 4, C]
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
  /// in which order the elements of the result are: as in the source; those of each sequence together, which the source
  /// has by parts; or the reverse
  enum class Order : uint8_t { Same, BySequence, ByPart } order = Order::Same;
  /// how many parts and sequences there are, and how many consecutive elements of a part belong to one sequence; unless
  /// the order is the same
  int64_t parts = 1, sequences = 1, elements = 0;
};

/// Returns the movement whose result is this node.
[[nodiscard]] std::optional<RowMovement> movementTo(Node *result);
/// Returns the movement of the value to which this reader of it belongs, if its nodes have no other readers.
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
