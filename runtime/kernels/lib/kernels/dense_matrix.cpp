#include "kernels/dense_matrix.h"

namespace ccgraph::runtime {

Matrix Matrix::identity(int64_t size) {
  Matrix result(size, size);
  for (int64_t i = 0; i < size; ++i)
    result(i, i) = 1;
  return result;
}

Matrix Matrix::transposed() const {
  Matrix result(columns_, rows_);
  for (int64_t i = 0; i < rows_; ++i)
    for (int64_t j = 0; j < columns_; ++j)
      result(j, i) = (*this)(i, j);
  return result;
}

Matrix Matrix::adjoint() const {
  Matrix result = transposed();
  for (Complex &element : result.elements_)
    element = std::conj(element);
  return result;
}

Matrix Matrix::times(const Matrix &other) const {
  Matrix result(rows_, other.columns_);
  for (int64_t i = 0; i < rows_; ++i)
    for (int64_t k = 0; k < columns_; ++k)
      for (int64_t j = 0; j < other.columns_; ++j)
        result(i, j) += (*this)(i, k) * other(k, j);
  return result;
}

void Matrix::swapRows(int64_t i, int64_t k) {
  for (int64_t j = 0; i != k && j < columns_; ++j)
    std::swap((*this)(i, j), (*this)(k, j));
}

MatrixBatch::MatrixBatch(KernelArgs &args, const Tensor &matrices) : tensor(matrices) {
  bool known = (isFloat(tensor.dtype()) || isComplex(tensor.dtype())) && computable(tensor.dtype()) &&
               sizeInBytes(tensor.dtype()) >= 4;
  if (args.failed() || !args.check(known && tensor.rank() >= 2,
                                   "got " + typeOf(tensor) + ", expected matrices of f32, f64, c64 or c128"))
    return;
  rows = tensor.size(tensor.rank() - 2);
  columns = tensor.sizes().back();
  count = productOf(batchSizes());
}

Matrix MatrixBatch::read(int64_t n) const {
  Tensor part = elementOfBatch(tensor, batchSizes(), n);
  Matrix matrix(rows, columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      matrix(i, j) =
          readElement<Complex>(part.dtype(), part.data() + i * strideBytes(part, 0) + j * strideBytes(part, 1));
  return matrix;
}

Tensor newMatrices(DType dtype, IntListRef batch, int64_t rows, int64_t columns, Order order) {
  IntList sizes = toIntList(batch);
  sizes.append({rows, columns});
  IntList strides = contiguousStrides(sizes);
  if (order == Order::ByColumns) {
    strides[batch.size()] = 1;
    strides[batch.size() + 1] = std::max<int64_t>(rows, 1);
  }
  return Tensor::zeros(dtype, sizes, strides);
}

Tensor elementOfBatch(const Tensor &tensor, IntListRef batch, int64_t n) {
  Tensor part = tensor;
  int64_t rest = productOf(batch);
  for (int64_t size : batch) {
    rest /= size;
    part = part.select(0, n / rest);
    n %= rest;
  }
  return part;
}

void write(const Tensor &tensor, const Matrix &matrix) {
  for (int64_t i = 0; i < matrix.rows(); ++i)
    for (int64_t j = 0; j < matrix.columns(); ++j)
      writeElement<Complex>(tensor.dtype(), tensor.data() + i * strideBytes(tensor, 0) + j * strideBytes(tensor, 1),
                            matrix(i, j));
}

/// The row at or below `k` with the largest element in column k, by the sum of its parts, as LAPACK compares.
static int64_t pivotRow(const Matrix &a, int64_t k) {
  auto magnitude = [&](int64_t i) { return std::abs(a(i, k).real()) + std::abs(a(i, k).imag()); };
  int64_t best = k;
  for (int64_t i = k + 1; i < a.rows(); ++i)
    best = magnitude(i) > magnitude(best) ? i : best;
  return best;
}

LuFactors luOf(Matrix a, bool pivot) {
  LuFactors f{std::move(a), {}};
  int64_t size = std::min(f.lu.rows(), f.lu.columns());
  for (int64_t k = 0; k < size; ++k) {
    f.pivots.push_back(pivot ? pivotRow(f.lu, k) : k);
    f.lu.swapRows(k, f.pivots.back());
    if (f.lu(k, k) == 0.0) {
      f.singular = f.singular ? f.singular : k + 1;
      continue;
    }
    for (int64_t i = k + 1; i < f.lu.rows(); ++i) {
      Complex factor = f.lu(i, k) /= f.lu(k, k);
      for (int64_t j = k + 1; j < f.lu.columns(); ++j)
        f.lu(i, j) -= factor * f.lu(k, j);
    }
  }
  return f;
}

void solveTriangle(const Matrix &t, Triangle triangle, Matrix &b) {
  int64_t size = t.rows();
  for (int64_t step = 0; step < size; ++step) {
    int64_t i = triangle.upper ? size - 1 - step : step;
    for (int64_t j = 0; j < b.columns(); ++j) {
      Complex rest = b(i, j);
      for (int64_t k = triangle.upper ? i + 1 : 0; k < (triangle.upper ? size : i); ++k)
        rest -= t(i, k) * b(k, j);
      b(i, j) = triangle.unit ? rest : rest / t(i, i);
    }
  }
}

} // namespace ccgraph::runtime
