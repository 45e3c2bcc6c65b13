// combine: one step of a reduction, in the wide types of elements.h.
//
// Plain functions of values, shared by the plain reduction (reduce.cpp) and the fast one (reduce_rows.cpp). Cost: an
// instruction or two.
#pragma once

#include "ccgraph/ir/collective.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace ccgraph::runtime {

/// Integers wrap, as they do in PyTorch: computed unsigned, because signed overflow is undefined.
inline int64_t combine(ReduceOp op, int64_t a, int64_t b) {
  auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (op) {
  case ReduceOp::Sum:
  case ReduceOp::Avg:
    return static_cast<int64_t>(x + y);
  case ReduceOp::Product:
    return static_cast<int64_t>(x * y);
  case ReduceOp::Min:
    return std::min(a, b);
  case ReduceOp::Max:
    return std::max(a, b);
  case ReduceOp::Band:
    return a & b;
  case ReduceOp::Bor:
    return a | b;
  case ReduceOp::Bxor:
    return a ^ b;
  }
  return 0;
}

/// NaN wins over any number in min and max, as in torch.maximum and torch.minimum; std::min would depend on the order.
template <typename Float, std::enable_if_t<std::is_floating_point_v<Float>, int> = 0>
Float combine(ReduceOp op, Float a, Float b) {
  if (op == ReduceOp::Product)
    return a * b;
  if (op == ReduceOp::Min || op == ReduceOp::Max) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
    return op == ReduceOp::Min ? std::min(a, b) : std::max(a, b);
  }
  return a + b;
}

inline std::complex<double> combine(ReduceOp, std::complex<double> a, std::complex<double> b) { return a + b; }

} // namespace ccgraph::runtime
