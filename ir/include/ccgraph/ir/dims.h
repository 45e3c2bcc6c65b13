// Dims: sizes, strides or dimensions as plain numbers, and arithmetic on them that no file can overflow.
//
// A file may state sizes as large as it likes. What 64 bits do not hold is the largest number here (the smallest, below zero),
// never undefined: a wrong but huge answer is refused later anyway, so no rule needs a branch of its own. Where "does not fit" must
// be told from a number, use llvm::MulOverflow or Type::numElements instead. Sizes that may be symbolic are Dim (type.h).
//
// Plain functions of values; nothing is owned and nothing fails. Cost: an instruction and a branch for each pair.
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
/// 0 for no values.
[[nodiscard]] int64_t saturatingSum(DimsRef values);
/// 1 for no sizes; 0 where one of them is 0, however large the others are.
[[nodiscard]] int64_t productOf(DimsRef sizes);

/// A list of its own.
[[nodiscard]] inline Dims toDims(DimsRef dims) { return Dims(dims.begin(), dims.end()); }
/// 0, 1, ..., rank - 1.
[[nodiscard]] Dims allDims(int64_t rank);
/// The numbers, if all are; empty where one is symbolic.
[[nodiscard]] std::optional<Dims> staticDims(llvm::ArrayRef<Dim> dims);
/// "[2, 3]".
[[nodiscard]] std::string dimsText(DimsRef dims);

} // namespace ccgraph
