// reduceRows: the reduction of reduce.h, straight from the ranks' memory into the ranks' memory.
//
// Each element is read from every row, combined in the rows' order, and written to every destination before the next
// block of elements is read. So a destination may be one of the rows, and no element moves more often than it must:
// rows.size() reads and destinations.size() writes.
//
// Values equal reduceInOrder() to the bit, but for the bits of a NaN. Loops are made for each dtype, so that compilers
// make vectors of them.
//
// Ownership: borrows. Failure: none; checkReducible() is the caller's. Cost: that of the memory, for sums of the common
// dtypes.
#pragma once

#include "ccgraph/ir/collective.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstddef>

namespace ccgraph::runtime {

struct ReduceRows {
  ReduceOp op = ReduceOp::Sum;
  DType dtype = DType::F32;
  /// in rank order; `elements` elements each, without gaps
  llvm::ArrayRef<const std::byte *> rows;
  llvm::ArrayRef<std::byte *> destinations;
  int64_t elements = 0;
};
void reduceRows(const ReduceRows &reduction);

} // namespace ccgraph::runtime
