// Operations on elements whose results are exact, or that are joined because they are: moves, casts and constants.
//
// Sources: IEEE 754-2019, 5.4 (conversions) and 6.3 (signs). A cast to a format that holds all numbers of the other one
// is exact, so the cast back gives the number again, and two such casts are one. A NaN stays a NaN; its bits are not
// considered (docs/numerics.md).
//
// Ownership: values. Failure: none. Cost: linear in the runs.
#pragma once

#include "held_value.h"

namespace ccgraph::numerics {

/// Returns whether each number of `from` is a number of `to`.
[[nodiscard]] bool isExactCast(DType from, DType to);
/// Returns the elements as numbers of another dtype.
[[nodiscard]] RunList castElements(TermTable &table, const RunList &elements, DType from, DType to);
/// Returns one number again and again. `text` is how the program states it.
[[nodiscard]] RunList constantElements(TermTable &table, double number, DType dtype, int64_t count);
/// Returns x n, as aten.mul(x, n) gives it. x + x is 2 x without a rounding.
[[nodiscard]] RunList multiples(TermTable &table, const RunList &elements, DType dtype, double n);
/// Returns the elements of a tensor in row-major order, or elements of a copy of it if they are cut too finely.
[[nodiscard]] RunList elementsOf(TermTable &table, const HeldTensor &tensor);
/// Joins tensors along a dimension; empty if the result is cut too finely.
[[nodiscard]] std::optional<RunList> joined(TermTable &table, llvm::ArrayRef<HeldTensor> parts, size_t dim);

} // namespace ccgraph::numerics
