// Matrix products on doubles, for operators that multiply inside (attention); matmul.cpp holds the
// only use of Eigen, so that no other file pays for its headers.
//
// Values are doubles because the reference computes f32 and narrower in double and rounds once
// (elements.h).
//
// Ownership: a RealMatrix owns its values. Nothing here fails, given sizes that fit: a's inner size
// is b's, which is the caller's care. Cost: 2 x rows x columns x inner floating-point operations a
// product, 8 bytes an element.
#pragma once

#include "process/memory_limit.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ccgraph::runtime {

/// Row-major.
struct RealMatrix {
  RealMatrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), values(static_cast<size_t>(rows * columns)) {}

  [[nodiscard]] double *row(int64_t i) { return values.data() + i * columns; }
  [[nodiscard]] const double *row(int64_t i) const { return values.data() + i * columns; }

  int64_t rows;
  int64_t columns;
  Scratch<double> values;
};

/// a b, a^T b, a b^T.
[[nodiscard]] RealMatrix product(const RealMatrix &a, const RealMatrix &b);
[[nodiscard]] RealMatrix productTransposedA(const RealMatrix &a, const RealMatrix &b);
[[nodiscard]] RealMatrix productTransposedB(const RealMatrix &a, const RealMatrix &b);

} // namespace ccgraph::runtime
