// Dims: sizes, strides or dimensions as plain numbers, and arithmetic on them that saturates.
//
// A file may state arbitrarily large sizes. A result that does not fit in 64 bits becomes the largest number (the
// smallest, below zero), never undefined behavior. A wrong but huge result is rejected later anyway, so no rule needs a
// branch of its own. To detect overflow, use llvm::MulOverflow or Type::numElements instead. Sizes that may be symbolic
// are Dim (type.h).
//
// Ownership: none; plain functions of values. Failure: none. Cost: an instruction and a branch for each pair.
#pragma once

#include "ccgraph/ir/symbol.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ccgraph {

using Dims = llvm::SmallVector<int64_t, 6>;
using DimsRef = llvm::ArrayRef<int64_t>;

[[nodiscard]] int64_t saturatingMultiply(int64_t a, int64_t b);
[[nodiscard]] int64_t saturatingAdd(int64_t a, int64_t b);
/// Returns 0 for no values.
[[nodiscard]] int64_t saturatingSum(DimsRef values);
/// Returns 1 for no sizes; 0 if one of them is 0, however large the others are.
[[nodiscard]] int64_t productOf(DimsRef sizes);

/// Returns an owned list.
[[nodiscard]] inline Dims toDims(DimsRef dims) { return Dims(dims.begin(), dims.end()); }
/// Returns 0, 1, ..., rank - 1.
[[nodiscard]] Dims allDims(int64_t rank);
/// Returns the numbers if all are static; empty if one is symbolic.
[[nodiscard]] std::optional<Dims> staticDims(llvm::ArrayRef<Dim> dims);
/// Returns "[2, 3]".
[[nodiscard]] std::string dimsText(DimsRef dims);

} // namespace ccgraph
