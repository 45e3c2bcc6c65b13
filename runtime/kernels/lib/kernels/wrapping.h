// Arithmetic on int64 that wraps modulo 2^64, as PyTorch's does and as C++ leaves undefined.
//
// For elements only, whose overflow is the user's; sizes and offsets are checked instead. Nothing
// here owns or fails; each function is one instruction.
#pragma once

#include <cstdint>

namespace ccgraph::runtime {

[[nodiscard]] inline int64_t wrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
[[nodiscard]] inline int64_t wrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
[[nodiscard]] inline int64_t wrapNeg(int64_t a) { return wrapMul(a, -1); }

} // namespace ccgraph::runtime
