// GemmCall: a product of matrices in the form of the device's library, which is column-major.
//
//   out = a b   of matrices that lie row after row   is   out' = b' a'   of the same memory read column after column
// So b is the library's first matrix and a its second one; a column-major matrix is read transposed. A bias, one number
// for each column of out, is one for each row of out': the library adds it as an epilogue of the product.
//
// Plain function of values. Returns nothing where the library does not support the product: mixed or unknown types,
// strides that are neither row-major nor column-major, sizes beyond its integers, or an addend that is neither the
// result itself nor a bias. Cost: none.
#pragma once

#include "device/matmul_job.h"

#include <optional>

namespace ccgraph::runtime::device {

struct GemmMatrix {
  std::byte *data = nullptr;
  bool turned = false;
  /// elements from one column to the next
  int64_t leading = 0;
  int64_t batchStride = 0;
};

/// result = alpha * first second + beta * result + bias: [rows, columns] of [rows, depth] and [depth, columns].
struct GemmCall {
  GemmMatrix first, second, result;
  int rows = 0, columns = 0, depth = 0, batch = 1;
  double alpha = 1, beta = 0;
  /// not null: `rows` numbers, one after another, each added to all of its row
  const std::byte *bias = nullptr;
  Element element = Element::F32;
};

/// A matrix of `rows` x `columns`, row-major: as the library reads it.
inline std::optional<GemmMatrix> gemmMatrixOf(const Matrices &matrices, int64_t rows, int64_t columns) {
  const Matrix &first = matrices.first;
  auto fits = [](int64_t stride, int64_t size) { return stride >= size && stride >= 1 && stride <= INT32_MAX; };
  // A stride along a dimension of one element does not matter.
  bool byRows = (first.columnStride == 1 || columns == 1) && (fits(first.rowStride, columns) || rows == 1);
  bool byColumns = (first.rowStride == 1 || rows == 1) && (fits(first.columnStride, rows) || columns == 1);
  if (!byRows && !byColumns)
    return std::nullopt;
  int64_t leading = byRows ? (rows == 1 ? columns : first.rowStride) : (columns == 1 ? rows : first.columnStride);
  return GemmMatrix{first.data, !byRows, leading, matrices.batchStride};
}

/// There is no addend, or the addend is the result itself.
inline bool addsItself(const MatmulJob &job) {
  const Matrix &added = job.added.first, &out = job.out.first;
  return !added.data || (added.data == out.data && added.element == out.element && added.rowStride == out.rowStride &&
                         added.columnStride == out.columnStride && job.added.batchStride == job.out.batchStride);
}

/// Returns whether the addend is one number for each column, complete and of the result's type: a bias that the library
/// can add as an epilogue of one product. Doubles are excluded: cuBLAS's manual lists epilogues by type, and no tested
/// device has shown one for them.
inline bool addsBias(const MatmulJob &job) {
  const Matrix &added = job.added.first;
  return added.data && !addsItself(job) && (added.rowStride == 0 || job.rows == 1) &&
         (added.columnStride == 1 || job.columns == 1) && job.batch == 1 && job.beta == 1 &&
         added.element == job.out.first.element && added.element != Element::F64;
}

inline std::optional<GemmCall> gemmCallOf(const MatmulJob &job) {
  Element element = job.out.first.element;
  bool known =
      element == Element::F16 || element == Element::BF16 || element == Element::F32 || element == Element::F64;
  bool alike = job.a.first.element == element && job.b.first.element == element;
  auto isNumber = [](int64_t size) { return size >= 1 && size <= INT32_MAX; };
  bool sized = isNumber(job.rows) && isNumber(job.columns) && isNumber(job.depth) && isNumber(job.batch);
  if (!known || !alike || !sized || !(addsItself(job) || addsBias(job)))
    return std::nullopt;
  std::optional<GemmMatrix> a = gemmMatrixOf(job.a, job.rows, job.depth);
  std::optional<GemmMatrix> b = gemmMatrixOf(job.b, job.depth, job.columns);
  std::optional<GemmMatrix> out = gemmMatrixOf(job.out, job.rows, job.columns);
  if (!a || !b || !out || out->turned)
    return std::nullopt;
  GemmCall call{*b, *a, *out};
  call.rows = static_cast<int>(job.columns);
  call.columns = static_cast<int>(job.rows);
  call.depth = static_cast<int>(job.depth);
  call.batch = static_cast<int>(job.batch);
  call.alpha = job.alpha;
  if (addsBias(job))
    call.bias = job.added.first.data;
  else
    call.beta = job.added.first.data ? job.beta : 0;
  call.element = element;
  return call;
}

} // namespace ccgraph::runtime::device
