// Arithmetic on sizes that a file may state as large as it likes: what does not fit is the largest
// number (the smallest, below zero), never undefined.
//
// Shape rules and byte counts use it where a wrong but huge answer is refused later anyway, so that
// no rule needs a branch of its own. Where "does not fit" must be told from a number, use
// llvm::MulOverflow or Type::numElements instead.
//
// Plain functions of values; nothing is owned and nothing fails. Cost: an instruction and a branch for
// each pair.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

#include <cstdint>
#include <limits>

namespace ccgraph {

[[nodiscard]] inline int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t result = 0;
  if (!llvm::MulOverflow(a, b, result))
    return result;
  return (a < 0) == (b < 0) ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

[[nodiscard]] inline int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t result = 0;
  if (!llvm::AddOverflow(a, b, result))
    return result;
  return a > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

/// 1 for no values. A 0 behind an overflow still gives 0.
[[nodiscard]] inline int64_t saturatingProduct(llvm::ArrayRef<int64_t> values) {
  int64_t result = 1;
  for (int64_t value : values)
    result = saturatingMultiply(result, value);
  return result;
}

/// 0 for no values.
[[nodiscard]] inline int64_t saturatingSum(llvm::ArrayRef<int64_t> values) {
  int64_t result = 0;
  for (int64_t value : values)
    result = saturatingAdd(result, value);
  return result;
}

} // namespace ccgraph
