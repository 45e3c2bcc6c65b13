// Dense matrices of complex doubles, for factorizations. Real matrices are complex ones without imaginary parts, so
// each algorithm is written once.
//
// Ownership: a Matrix owns its elements. Failure: through KernelArgs, where an argument is no matrix. Cost: 16 bytes an
// element; plain loops.
#pragma once

#include "kernels/kernel_args.h"
#include "tensor/elements.h"

namespace ccgraph::runtime {

class Matrix {
public:
  Matrix(int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), elements_(static_cast<size_t>(rows * columns)) {}
  static Matrix identity(int64_t size);

  [[nodiscard]] int64_t rows() const { return rows_; }
  [[nodiscard]] int64_t columns() const { return columns_; }
  [[nodiscard]] Complex &operator()(int64_t i, int64_t j) { return elements_[static_cast<size_t>(i * columns_ + j)]; }
  [[nodiscard]] const Complex &operator()(int64_t i, int64_t j) const {
    return elements_[static_cast<size_t>(i * columns_ + j)];
  }
  [[nodiscard]] Matrix adjoint() const;    ///< transposed, conjugated
  [[nodiscard]] Matrix transposed() const; ///< not conjugated
  [[nodiscard]] Matrix times(const Matrix &other) const;
  void swapRows(int64_t i, int64_t k);

private:
  int64_t rows_;
  int64_t columns_;
  Scratch<Complex> elements_;
};

/// A tensor [..., m, n] as a batch of matrices. Fails unless it has floats or complex numbers of at least 32 bits.
struct MatrixBatch {
  Tensor tensor;
  int64_t count = 0, rows = 0, columns = 0;

  MatrixBatch(KernelArgs &args, const Tensor &tensor);
  [[nodiscard]] IntListRef batchSizes() const { return tensor.sizes().drop_back(2); }
  [[nodiscard]] Matrix read(int64_t n) const;
};

/// A new tensor [batch..., rows, columns], zeros. PyTorch's factorizations lay theirs out by columns, as LAPACK does.
enum class Order : uint8_t { ByRows, ByColumns };
[[nodiscard]] Tensor newMatrices(DType dtype, IntListRef batch, int64_t rows, int64_t columns, Order order);
/// The part of a tensor [batch..., ...] that belongs to element `n` of the batch, row-major over the batch.
[[nodiscard]] Tensor elementOfBatch(const Tensor &tensor, IntListRef batch, int64_t n);
void write(const Tensor &tensor, const Matrix &matrix);

/// P A = L U with partial pivoting: L below the diagonal, ones on it, and U above. Row i was exchanged with row
/// pivots[i] >= i. `singular`: the first zero of U's diagonal from 1 on, or 0.
struct LuFactors {
  Matrix lu;
  IntList pivots;
  int64_t singular = 0;
};
[[nodiscard]] LuFactors luOf(Matrix a, bool pivot = true);
/// Solves T X = B in place for a triangle of `t`.
struct Triangle {
  bool upper = false;
  bool unit = false; ///< the diagonal counts as ones
};
void solveTriangle(const Matrix &t, Triangle triangle, Matrix &b);

} // namespace ccgraph::runtime
