// IntList and DimList: sizes, strides or dimensions as plain numbers, and as sizes that may be symbolic; arithmetic on
// numbers that saturates.
//
// A file may state arbitrarily large sizes. A result that does not fit in 64 bits becomes the largest number (the
// smallest, below zero), never undefined behavior. A wrong but huge result is rejected later anyway, so no rule needs a
// branch of its own. To detect overflow, use llvm::MulOverflow or Type::numElements instead.
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

using IntList = llvm::SmallVector<int64_t, 6>;
using IntListRef = llvm::ArrayRef<int64_t>;
using DimList = llvm::SmallVector<Dim, 6>;
using DimListRef = llvm::ArrayRef<Dim>;

[[nodiscard]] int64_t saturatingMultiply(int64_t a, int64_t b);
[[nodiscard]] int64_t saturatingAdd(int64_t a, int64_t b);
/// Returns 0 for no values.
[[nodiscard]] int64_t saturatingSum(IntListRef values);
/// Returns 1 for no sizes; 0 if one of them is 0, however large the others are.
[[nodiscard]] int64_t productOf(IntListRef sizes);

/// Returns an owned list.
[[nodiscard]] inline IntList toIntList(IntListRef dims) { return IntList(dims.begin(), dims.end()); }
/// Returns 0, 1, ..., rank - 1.
[[nodiscard]] IntList allDims(int64_t rank);
/// Returns the numbers if all are static; empty if one is symbolic.
[[nodiscard]] std::optional<IntList> staticDims(llvm::ArrayRef<Dim> dims);
/// Returns "[2, 3]".
[[nodiscard]] std::string intListText(IntListRef dims);

} // namespace ccgraph
