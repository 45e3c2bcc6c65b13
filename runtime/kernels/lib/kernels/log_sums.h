// Sums of numbers that are given, and wanted, as logarithms.
//
// Nothing here owns or fails.
#pragma once

#include <algorithm>
#include <cmath>

namespace ccgraph::runtime {

/// log(exp(a) + exp(b)) without overflow; equal infinities are their own sum.
[[nodiscard]] inline double addInLog(double a, double b) {
  if (std::isinf(a) && a == b)
    return a;
  return std::max(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
}

} // namespace ccgraph::runtime
