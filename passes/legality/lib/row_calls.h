// RowCalls: calls that compute each row of their results from the same row of what they read.
//
//   add(x, y)                        element (i, j) depends on element (i, j) of x and of y
//   mul(x, w)                        w = f32[C] is the same for every row
//   mul(x, r)                        r = f32[R, 1] has one number a row
//   mean(x, [-1], True)              a reduction within the row
//   _fused_rms_norm(x, [C], w, eps)  normalized rows, and one number a row
//
// A row is what the last dimension holds; the other dimensions count rows. An operand of one dimension or none is the
// same for every row. So a call with some of the rows computes these rows of the whole.
//
// Ownership: refers to the step. Failure: an empty result for another operator, or for arguments that do not fit. Cost:
// a search by name, and the dimensions.
#pragma once

#include "layout.h"
#include "program.h"

namespace ccgraph::legality {

struct RowCall {
  const OpDef *op = nullptr;
  const Arguments *arguments = nullptr;
  /// sizes of each result
  llvm::SmallVector<IntList, 1> results;
  bool returnsList = false;
  /// each element of the result depends on the same element of the only operand with rows, and on single numbers
  bool byElement = false;
};

/// Returns true if the operator is in the table.
[[nodiscard]] bool isRowCall(const Step &step);
/// Returns true for a call in the table whose results are the sums of its results for each row.
[[nodiscard]] bool addsRows(const Step &step);
/// Returns which operand of a call in the table has one dimension, and a number for each row. rowCallOf() expects it
/// with a second dimension of one column.
[[nodiscard]] std::optional<size_t> classesOf(const Step &step);
/// Returns true for a mean or a sum of all elements in f32 or f64, and for a sum or a quotient of such numbers
/// (Terms::total()).
[[nodiscard]] bool isTotalCall(const Step &step);
/// Returns the sizes of the results for operands of these sizes, in order of mention. Sizes of dimensions that count
/// rows are only compared, so a number may stand for an expression of a symbol.
[[nodiscard]] std::optional<RowCall> rowCallOf(const Step &step, llvm::ArrayRef<const IntList *> sizes);
[[nodiscard]] std::optional<RowCall> rowCallOf(const Step &step, llvm::ArrayRef<const Layout *> operands);
/// Returns true if both call the same operator with the same literals.
[[nodiscard]] bool sameCalls(const RowCall &a, const RowCall &b);

} // namespace ccgraph::legality
