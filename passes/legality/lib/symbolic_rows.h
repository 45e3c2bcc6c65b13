// SymbolicRows: what a tensor holds whose number of rows depends on a symbol, for every value of the symbol.
//
// A row is what the last dimension holds, whose size is a number; the other dimensions count rows. A value is a list of
// runs of rows in row-major order: "rows 0 to s0//2 of x times b, then ...". The ends are quantities (quantity.h), and
// each step from one list to the next one must be the same for every value of the symbol: a run is before a place, or
// after it, for all of them. So one evaluation is valid for every value.
//
//   x = f32[s0, 4]                      x [0, s0)
//   h = s0 // 2, slice(x, 0, 0, h)      x [0, s0//2), since 0 <= s0//2 <= s0 for every s0
//   mm of it and b                      x b [0, s0//2)
//   all_reduce                          sum of x b [0, s0//2)
//   cat with the other rows             sum of x b [0, s0), as s0//2 + (s0 - s0//2) is s0
//
// The source of a run is a term, as in chain.h: an input as this rank holds it, as another rank of the group holds it,
// a product of a term's rows and a matrix, or a reduction of a term over the group. For 2 ranks and f32[2*s0, 4], a
// reduce_scatter leaves "sum of x from s0 * rank, s0 rows": the start grows by a quantity for each rank of the group.
//
// Ownership: plain values. Failure: an empty result, which counts as not proved: a place that lies on different sides
// of a run's end for different values of the symbol, sizes that do not fit, or more than `maxRowRuns` runs. Cost: the
// runs made, times the period of the quantities.
#pragma once

#include "quantity.h"

#include "ccgraph/ir/dtype.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>
#include <vector>

namespace ccgraph::legality {

inline constexpr size_t maxRowRuns = size_t(1) << 16;

using Quantities = llvm::SmallVector<Quantity, 4>;

/// Returns the product; empty if two of them depend on the symbol.
[[nodiscard]] std::optional<Quantity> productOf(llvm::ArrayRef<Quantity> sizes);
[[nodiscard]] bool areEqual(llvm::ArrayRef<Quantity> a, llvm::ArrayRef<Quantity> b);

/// Rows [start, start + count) of a term; on the rank of number r within the group, [start + r * perRank, ...).
struct RowRun {
  uint32_t source = 0;
  Quantity start = Quantity(0);
  Quantity count = Quantity(0);
  Quantity perRank = Quantity(0);
};
using RowRuns = std::vector<RowRun>;

/// The value of a tensor.
struct RowValue {
  /// of every dimension; the last one is a number above 0
  Quantities sizes;
  Quantities strides; ///< in elements
  DType dtype = DType::F32;
  std::shared_ptr<const RowRuns> runs;
  /// its memory has all of its elements and no others
  bool fillsMemory = true;
  [[nodiscard]] int64_t columns() const { return *sizes.back().number(); }
  [[nodiscard]] std::optional<Quantity> rows() const { return productOf(llvm::makeArrayRef(sizes).drop_back()); }
};

/// Returns row-major strides without gaps; empty if two sizes depend on the symbol.
[[nodiscard]] std::optional<Quantities> rowMajor(llvm::ArrayRef<Quantity> sizes);
/// Returns a row-major value with memory of its own.
[[nodiscard]] std::optional<RowValue> newValue(DType dtype, llvm::ArrayRef<Quantity> sizes, RowRuns runs);
/// Returns true if the value has these strides; those of dimensions of size 1 have no meaning.
[[nodiscard]] bool hasStrides(const RowValue &value, llvm::ArrayRef<Quantity> strides);
/// Returns true for row-major strides.
[[nodiscard]] bool hasNoGaps(const RowValue &value);
/// Returns true if both have the same sizes, and the same rows in the same order.
[[nodiscard]] bool holdTheSame(const RowValue &a, const RowValue &b);

/// Returns rows [from, from + count) of a value. Empty if these are not rows of the value for every value of the
/// symbol.
[[nodiscard]] std::optional<RowRuns> rowsOf(const RowValue &value, const Quantity &from, const Quantity &count);
/// Appends a run, and joins it with the last run if it continues that run.
[[nodiscard]] bool append(RowRuns &runs, const RowRun &run);
[[nodiscard]] bool append(RowRuns &runs, const RowRuns &others);

/// Returns elements [from, to) of a dimension, which is not the last one: a view.
[[nodiscard]] std::optional<RowValue> sliced(const RowValue &value, size_t dim, const Quantity &from,
                                             const Quantity &to);
/// Returns the same rows under other sizes; a copy if `mayCopy` and the rows have gaps in memory.
[[nodiscard]] std::optional<RowValue> resized(const RowValue &value, llvm::ArrayRef<Quantity> sizes, bool mayCopy);
/// Concatenates along a dimension, which is not the last one.
[[nodiscard]] std::optional<RowValue> concatenated(llvm::ArrayRef<const RowValue *> values, size_t dim);

} // namespace ccgraph::legality
