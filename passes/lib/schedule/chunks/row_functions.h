// RowFunctions: calls that compute each row of their results from the same row of what they read.
//
//   add(x, y), silu(x), convert(x)        elements that depend on the elements at the same place
//   mul(x, w)                             w = f32[C] is the same for every row
//   mean(x, [-1], True)                   a reduction within the row
//   _log_softmax(x, -1, False)            a softmax of the row, and its gradient (functions of a loss only)
//   _fused_rms_norm(x, [C], w, eps)       its results are the normalized rows and one number a row
//   view(x, [1, R, C])                    the same rows in another shape
//
// A row is what the last dimension holds, whose size is a number, and the other dimensions count rows: f32[R, C],
// f32[1, R, C], f32[4, R / 4, C]. The number of rows may be an expression of symbols, in the dimension before the last
// one; then all dimensions before it have size 1, and so have those of a loss.
//
// Ownership: pure functions. Failure: none; a call that is not in the table is no row function. Cost: the operands.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/passes/cost.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

/// Returns true for a tensor without gaps that has so many rows.
[[nodiscard]] bool hasRows(const Node &value, const Dim &rows);
/// Returns true if all dimensions before the last two have size 1.
[[nodiscard]] bool hasOneSequence(const Node &value);

/// Whether a row function may read rows of values that are not cut, whose slices are views if rows are consecutive.
enum class OtherRows : bool { Refuse, Accept };

/// Returns true if row i of each result is computed from row i of operands that are `cut`, from values that are the
/// same for every row, and from row i of other operands that have so many rows.
[[nodiscard]] bool isRowFunction(const Node &call, llvm::function_ref<bool(const Node &)> cut, const Dim &rows,
                                 OtherRows others);

/// Returns true if row i of the result is computed from row i of the operands with so many rows, and from values that
/// are the same for every row, by a function above, an exponential, a logarithm, a softmax or the gradient of a loss.
[[nodiscard]] bool isRowFunctionOfLoss(const Node &call, int64_t rows);

/// Returns true for an argument that has one dimension, and a number for each row: the classes of a loss.
[[nodiscard]] bool isNumberOfEachRow(const Node &call, size_t argument);

/// Returns true if each element of the result is computed from the element of the first operand at the same place and
/// from single numbers.
[[nodiscard]] bool isElementFunction(const Node &call);

/// Returns the nodes that a piece of a node stands for. If the node is fused into a kernel whose time another node has,
/// and that one is among the others that are cut, it is both.
[[nodiscard]] llvm::SmallVector<Node *, 2> sourcesOfPiece(Node *node, llvm::ArrayRef<Node *> others,
                                                          const CostModel &cost);

/// Returns true if the call only gives another shape to its first operand. Its other operands are sizes.
[[nodiscard]] bool isRowView(const Node &call);

} // namespace ccgraph
