// Arithmetic on sizes that a file may state as large as it likes: what does not fit is the largest number, never undefined.
//
// Plain functions of values; nothing is owned, nothing fails. Cost: an instruction and a branch.
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

[[nodiscard]] inline int64_t saturatingProduct(llvm::ArrayRef<int64_t> values) {
  int64_t result = 1;
  for (int64_t value : values)
    result = saturatingMultiply(result, value);
  return result;
}

[[nodiscard]] inline int64_t saturatingSum(llvm::ArrayRef<int64_t> values) {
  int64_t result = 0;
  for (int64_t value : values)
    result = saturatingAdd(result, value);
  return result;
}

} // namespace ccgraph
