// Reductions over ranks.
//
// The reference adds in rank order: ((r0 + r1) + r2) + ..., in f64 for floats, rounded to the dtype once at the end.
// This is the best approximation of the sum, which every engine approximates in an order of its own. So a result
// depends only on the values, not on coalescing, timing or position in a bucket. avg is the sum divided by the number
// of ranks (integers truncate). bool reduces as PyTorch does: sum, max and bor are "or", product, min and band are
// "and".
//
// Ownership: results are new tensors; rows are borrowed. Failure: an operator that the dtype does not have is an
// llvm::Error that lists the available ones. Cost: linear in elements x ranks.
#pragma once

#include "ccgraph/ir/collective.h"
#include "ccgraph/runtime/tensor.h"

namespace ccgraph::runtime {

/// Returns the effective reduction on this dtype's elements: bool is one bit, so its sum is "or" and its product "and".
[[nodiscard]] ReduceOp operatorOn(ReduceOp op, DType dtype);
/// Error: no such reduction on this dtype.
[[nodiscard]] llvm::Error checkReducible(ReduceOp op, DType dtype);

/// Elementwise over 1-d contiguous tensors of one dtype and length, first to last, into new
/// memory.
[[nodiscard]] Tensor reduceInOrder(ReduceOp op, llvm::ArrayRef<Tensor> rows);

} // namespace ccgraph::runtime
