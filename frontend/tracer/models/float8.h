// Float8: a tensor as float8 numbers and one scale, and products of such tensors.
//
// The recipe is the dynamic tensorwise scaling of torchao.float8 (public repository pytorch/ao, Float8LinearConfig):
//   scale    largest number of the dtype / largest magnitude of the tensor, by f64, as f32
//   numbers  float8(clamp(f32(x) * scale)); so x is nearly numbers / scale
// Inputs and weights are e4m3fn, which has more fraction; gradients are e5m2, which has more range.
//
// Ownership: handles of tensors. Failure: see tensor.h. Cost: up to nine recorded nodes each.
#pragma once

#include "ccgraph/tracer/tensor.h"

namespace ccgraph::models {

using tracer::Tensor;

struct Float8 {
  /// f8e4m3fn or f8e5m2
  Tensor numbers;
  /// 1 / scale: f32[]
  Tensor inverse;
};

/// Returns the largest magnitude of all elements: [].
[[nodiscard]] Tensor largestMagnitude(const Tensor &tensor);
/// Converts a tensor whose largest magnitude, perhaps with parts of the tensor on other ranks, is `largest`.
[[nodiscard]] Float8 toFloat8(const Tensor &tensor, const Tensor &largest, DType dtype);
[[nodiscard]] inline Float8 toFloat8(const Tensor &tensor, DType dtype) {
  return toFloat8(tensor, largestMagnitude(tensor), dtype);
}

/// Returns a row-major copy of the transposed matrix.
[[nodiscard]] Float8 transposed(const Float8 &matrix);
/// Rows that several products read. They are transposed once, since PyTorch's graphs have no repeated calls.
class SharedRows {
public:
  explicit SharedRows(Float8 rows) : rows_(std::move(rows)) {}
  [[nodiscard]] const Float8 &rows() const { return rows_; }
  /// Returns the transposed rows.
  [[nodiscard]] const Float8 &columns() {
    if (columns_.numbers.isAbsent())
      columns_ = transposed(rows_);
    return columns_;
  }

private:
  Float8 rows_;
  Float8 columns_;
};

struct ProductForm {
  /// of the result
  DType dtype = DType::BF16;
  /// Sums are less exact, which PyTorch chooses for forward passes.
  bool fastAccumulation = false;
};
/// Returns a b^T: f8[n, k] x f8[m, k] -> dtype[n, m]. Both are row-major, as cuBLASLt requires.
[[nodiscard]] Tensor productWithTransposed(const Float8 &a, const Float8 &b, ProductForm form);

} // namespace ccgraph::models
