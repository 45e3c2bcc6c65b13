// Matrix products on doubles, for operators that multiply inside (attention); matmul.cpp holds the only use of Eigen.
//
// Ownership: a RealMatrix owns its values. Nothing here fails, given sizes that fit. Cost: 2 rows columns inner operations a product.
#pragma once

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
  std::vector<double> values;
};

/// a b, a^T b, a b^T.
[[nodiscard]] RealMatrix product(const RealMatrix &a, const RealMatrix &b);
[[nodiscard]] RealMatrix productTransposedA(const RealMatrix &a, const RealMatrix &b);
[[nodiscard]] RealMatrix productTransposedB(const RealMatrix &a, const RealMatrix &b);

} // namespace ccgraph::runtime
