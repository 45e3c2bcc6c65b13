#include "kernels/dense_matrix.h"
#include "kernels/families.h"

#include <cmath>
#include <numeric>

// Factorizations of batches of matrices (G. Golub, C. Van Loan, "Matrix Computations").
namespace ccgraph::runtime {
namespace {

Tensor numbersOf(DType dtype, IntListRef batch, int64_t count) {
  IntList sizes = toIntList(batch);
  sizes.push_back(count);
  return Tensor::zeros(dtype, sizes);
}
void writeWhole(const Tensor &tensor, IntListRef numbers) {
  for (size_t i = 0; i < numbers.size(); ++i)
    writeElement<int64_t>(tensor.dtype(), tensor.data() + static_cast<int64_t>(i) * tensor.elementSize(), numbers[i]);
}

bool checkSquare(KernelArgs &args, const MatrixBatch &a) {
  return !args.failed() && args.check(a.rows == a.columns, "got " + typeOf(a.tensor) + ", expected square matrices");
}

// --- Cholesky ---------------------------------------------------------------------------------------------
/// A = L L^H from A's lower triangle, which L holds at first. Returns the first order, from 1 on, whose leading minor
/// is not positive, or 0; what follows is then as in A.
int64_t cholesky(Matrix &l) {
  for (int64_t j = 0; j < l.rows(); ++j) {
    double diagonal = l(j, j).real();
    for (int64_t k = 0; k < j; ++k)
      diagonal -= std::norm(l(j, k));
    if (!(diagonal > 0)) {
      l(j, j) = diagonal;
      return j + 1;
    }
    l(j, j) = std::sqrt(diagonal);
    for (int64_t i = j + 1; i < l.rows(); ++i) {
      for (int64_t k = 0; k < j; ++k)
        l(i, j) -= l(i, k) * std::conj(l(j, k));
      l(i, j) /= l(j, j);
    }
  }
  return 0;
}

Matrix lowerTriangle(const Matrix &a) {
  Matrix l(a.rows(), a.rows());
  for (int64_t i = 0; i < a.rows(); ++i)
    for (int64_t j = 0; j <= i; ++j)
      l(i, j) = a(i, j);
  return l;
}

/// (self, upper, check_errors) -> (L, info)
Value choleskyEx(KernelArgs &args) {
  MatrixBatch a(args, args.tensor(0));
  bool upper = args.boolean(1, false), checks = args.boolean(2, false);
  if (!checkSquare(args, a))
    return {};
  Tensor factor = newMatrices(a.tensor.dtype(), a.batchSizes(), a.rows, a.rows, Order::ByColumns);
  Tensor info = Tensor::zeros(DType::I32, a.batchSizes());
  for (int64_t n = 0; n < a.count; ++n) {
    Matrix matrix = a.read(n), l = lowerTriangle(upper ? matrix.adjoint() : matrix);
    int64_t failed = cholesky(l);
    args.check(failed == 0 || !checks, "got matrix " + llvm::Twine(n) + " with a leading minor of order " +
                                           llvm::Twine(failed) + " that is not positive definite");
    write(elementOfBatch(factor, a.batchSizes(), n), upper ? l.adjoint() : l);
    writeElement<int64_t>(DType::I32, info.data() + 4 * n, failed);
  }
  return args.failed() ? Value() : Value::tensors({factor, info});
}

// --- LU ---------------------------------------------------------------------------------------------------
/// (A, pivot, check_errors) -> (LU, pivots, info); pivots count from 1.
Value luFactorEx(KernelArgs &args) {
  MatrixBatch a(args, args.tensor(0));
  bool pivot = args.boolean(1, true);
  if (args.failed())
    return {};
  Tensor factors = newMatrices(a.tensor.dtype(), a.batchSizes(), a.rows, a.columns, Order::ByColumns);
  Tensor pivots = numbersOf(DType::I32, a.batchSizes(), std::min(a.rows, a.columns));
  Tensor info = Tensor::zeros(DType::I32, a.batchSizes());
  for (int64_t n = 0; n < a.count; ++n) {
    LuFactors f = luOf(a.read(n), pivot);
    for (int64_t &row : f.pivots)
      ++row;
    args.check(f.singular == 0 || !args.boolean(2, false), "got a singular matrix " + llvm::Twine(n));
    write(elementOfBatch(factors, a.batchSizes(), n), f.lu);
    writeWhole(elementOfBatch(pivots, a.batchSizes(), n), f.pivots);
    writeElement<int64_t>(DType::I32, info.data() + 4 * n, f.singular);
  }
  return args.failed() ? Value() : Value::tensors({factors, pivots, info});
}

/// P with P^T A = L U, from exchanges that count from 1.
Matrix permutationOf(const Tensor &pivots, int64_t rows) {
  IntList order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = 0; i < pivots.size(0); ++i)
    std::swap(order[i], order[readElement<int64_t>(pivots.dtype(), pivots.data() + i * strideBytes(pivots, 0)) - 1]);
  Matrix p(rows, rows);
  for (int64_t i = 0; i < rows; ++i)
    p(order[i], i) = 1;
  return p;
}

/// One triangle of LU, [rows, columns].
Matrix triangleOf(const Matrix &lu, int64_t rows, int64_t columns, bool upper) {
  Matrix result(rows, columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      result(i, j) = upper ? (j >= i ? lu(i, j) : 0) : j < i ? lu(i, j) : j == i ? 1 : 0;
  return result;
}

/// (LU_data, LU_pivots, unpack_data, unpack_pivots) -> (P, L, U)
Value luUnpack(KernelArgs &args) {
  MatrixBatch a(args, args.tensor(0));
  const Tensor &pivots = args.tensor(1);
  bool data = args.boolean(2, true), order = args.boolean(3, true);
  int64_t small = std::min(a.rows, a.columns);
  bool fits = pivots.dtype() == DType::I32 && pivots.rank() == a.tensor.rank() - 1 && pivots.sizes().back() == small;
  if (args.failed() || !args.check(fits || !order, "got pivots " + typeOf(pivots) + " for " + typeOf(a.tensor)))
    return {};
  DType dtype = a.tensor.dtype();
  Tensor p = order ? newMatrices(dtype, a.batchSizes(), a.rows, a.rows, Order::ByRows) : Tensor::zeros(dtype, {0});
  Tensor l = data ? newMatrices(dtype, a.batchSizes(), a.rows, small, Order::ByRows) : Tensor::zeros(dtype, {0});
  Tensor u = data ? newMatrices(dtype, a.batchSizes(), small, a.columns, Order::ByRows) : Tensor::zeros(dtype, {0});
  for (int64_t n = 0; n < a.count; ++n) {
    Matrix lu = a.read(n);
    if (order)
      write(elementOfBatch(p, a.batchSizes(), n), permutationOf(elementOfBatch(pivots, a.batchSizes(), n), a.rows));
    if (!data)
      continue;
    write(elementOfBatch(l, a.batchSizes(), n), triangleOf(lu, a.rows, small, false));
    write(elementOfBatch(u, a.batchSizes(), n), triangleOf(lu, small, a.columns, true));
  }
  return Value::tensors({p, l, u});
}

// --- QR by Householder's reflections, with LAPACK's signs --------------------------------------------------
struct Orthogonal {
  Matrix q; ///< [m, m]
  Matrix r; ///< [m, n]
};

/// The vector v and the factor of I - factor v v^H that turns column k of `a`, from row k on, to a multiple of the
/// first unit vector, which is real.
struct Reflection {
  Scratch<Complex> v;
  Complex factor;
};
Reflection reflectionOf(const Matrix &a, int64_t k) {
  Reflection h{{}, 0};
  double below = 0;
  for (int64_t i = k; i < a.rows(); ++i) {
    h.v.push_back(a(i, k));
    below += i > k ? std::norm(a(i, k)) : 0;
  }
  Complex alpha = a(k, k);
  if (below == 0 && alpha.imag() == 0)
    return h;
  double beta = -std::copysign(std::sqrt(std::norm(alpha) + below), alpha.real());
  for (size_t i = 1; i < h.v.size(); ++i)
    h.v[i] /= alpha - beta;
  h.v[0] = 1;
  h.factor = (beta - alpha) / beta;
  return h;
}

/// Rows of `a` from k on times the reflection, adjoint or not; columns before `first` stay.
void reflect(const Reflection &h, Complex factor, int64_t k, int64_t first, Matrix &a) {
  for (int64_t j = first; j < a.columns(); ++j) {
    Complex dot = 0;
    for (size_t i = 0; i < h.v.size(); ++i)
      dot += std::conj(h.v[i]) * a(k + static_cast<int64_t>(i), j);
    for (size_t i = 0; i < h.v.size(); ++i)
      a(k + static_cast<int64_t>(i), j) -= factor * h.v[i] * dot;
  }
}

Orthogonal qrOf(Matrix a) {
  Scratch<Reflection> reflections;
  for (int64_t k = 0; k < std::min(a.rows(), a.columns()); ++k) {
    reflections.push_back(reflectionOf(a, k));
    reflect(reflections.back(), std::conj(reflections.back().factor), k, k, a);
    for (int64_t i = k + 1; i < a.rows(); ++i)
      a(i, k) = 0;
  }
  Matrix q = Matrix::identity(a.rows());
  for (size_t k = reflections.size(); k-- > 0;)
    reflect(reflections[k], reflections[k].factor, static_cast<int64_t>(k), 0, q);
  return {std::move(q), std::move(a)};
}

Matrix part(const Matrix &a, int64_t rows, int64_t columns) {
  Matrix result(rows, columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      result(i, j) = a(i, j);
  return result;
}

/// (A, mode) -> (Q, R)
Value qr(KernelArgs &args) {
  MatrixBatch a(args, args.tensor(0));
  llvm::StringRef mode = args.text(1, "reduced");
  args.check(mode == "reduced" || mode == "complete" || mode == "r",
             "got mode '" + mode + "', expected reduced, complete or r");
  if (args.failed())
    return {};
  DType dtype = a.tensor.dtype();
  int64_t inner = mode == "complete" ? a.rows : std::min(a.rows, a.columns);
  Tensor q =
      mode == "r" ? Tensor::zeros(dtype, {0}) : newMatrices(dtype, a.batchSizes(), a.rows, inner, Order::ByColumns);
  Tensor r = newMatrices(dtype, a.batchSizes(), inner, a.columns, Order::ByColumns);
  for (int64_t n = 0; n < a.count; ++n) {
    Orthogonal factors = qrOf(a.read(n));
    if (mode != "r")
      write(elementOfBatch(q, a.batchSizes(), n), part(factors.q, a.rows, inner));
    write(elementOfBatch(r, a.batchSizes(), n), part(factors.r, inner, a.columns));
  }
  return Value::tensors({q, r});
}

// --- Eigenvalues and singular values, by Jacobi's rotations -------------------------------------------------
/// Rotates columns i and j of `a`: (x, y) -> (c x - conj(s) y, s x + c y), c real.
void rotateColumns(Matrix &a, int64_t i, int64_t j, double c, Complex s) {
  for (int64_t k = 0; k < a.rows(); ++k) {
    Complex x = a(k, i), y = a(k, j);
    a(k, i) = c * x - std::conj(s) * y;
    a(k, j) = s * x + c * y;
  }
}

/// The rotation under which the Hermitian [[p, g], [conj(g), q]] becomes diagonal.
struct Rotation {
  double c = 1;
  Complex s = 0;
};
Rotation diagonalizing(double p, double q, Complex g) {
  double magnitude = std::abs(g), theta = (q - p) / (2 * magnitude);
  double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
  double c = 1 / std::sqrt(t * t + 1);
  return {c, t * c * g / magnitude};
}

/// One-sided: `a` V has orthogonal columns. Ends when all pairs of columns are orthogonal within rounding.
void orthogonalizeColumns(Matrix &a, Matrix &v) {
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (int64_t i = 0; i < a.columns(); ++i)
      for (int64_t j = i + 1; j < a.columns(); ++j) {
        double p = 0, q = 0;
        Complex g = 0;
        for (int64_t k = 0; k < a.rows(); ++k) {
          p += std::norm(a(k, i));
          q += std::norm(a(k, j));
          g += std::conj(a(k, i)) * a(k, j);
        }
        if (!(std::abs(g) > 1e-15 * std::sqrt(p * q)))
          continue;
        Rotation r = diagonalizing(p, q, g);
        rotateColumns(a, i, j, r.c, r.s);
        rotateColumns(v, i, j, r.c, r.s);
        rotated = true;
      }
    if (!rotated)
      return;
  }
}

/// Two-sided: V^H `a` V is diagonal, for a Hermitian `a`.
void diagonalize(Matrix &a, Matrix &v) {
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (int64_t i = 0; i < a.rows(); ++i)
      for (int64_t j = i + 1; j < a.rows(); ++j) {
        double scale = std::sqrt(std::fabs(a(i, i).real() * a(j, j).real()));
        if (!(std::abs(a(i, j)) > 1e-17 * scale) || std::abs(a(i, j)) < 1e-300)
          continue;
        Rotation r = diagonalizing(a(i, i).real(), a(j, j).real(), a(i, j));
        rotateColumns(a, i, j, r.c, r.s);
        a = a.adjoint();
        rotateColumns(a, i, j, r.c, r.s);
        a = a.adjoint();
        rotateColumns(v, i, j, r.c, r.s);
        rotated = true;
      }
    if (!rotated)
      return;
  }
}

/// The columns of `a` in this order.
Matrix orderedColumns(const Matrix &a, IntListRef order) {
  Matrix result(a.rows(), static_cast<int64_t>(order.size()));
  for (int64_t i = 0; i < a.rows(); ++i)
    for (size_t j = 0; j < order.size(); ++j)
      result(i, static_cast<int64_t>(j)) = a(i, order[j]);
  return result;
}

IntList orderOf(llvm::ArrayRef<double> values, bool descending) {
  IntList order(values.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](int64_t i, int64_t j) {
    double a = values[static_cast<size_t>(i)], b = values[static_cast<size_t>(j)];
    return descending ? a > b : a < b;
  });
  return order;
}

void writeOrdered(const Tensor &tensor, llvm::ArrayRef<double> values, IntListRef order) {
  for (size_t i = 0; i < order.size(); ++i)
    writeElement<double>(tensor.dtype(), tensor.data() + static_cast<int64_t>(i) * tensor.elementSize(),
                         values[static_cast<size_t>(order[i])]);
}

/// A Hermitian matrix from one triangle.
Matrix hermitian(const Matrix &a, bool upper) {
  Matrix result = a;
  for (int64_t i = 0; i < a.rows(); ++i) {
    result(i, i) = a(i, i).real();
    for (int64_t j = 0; j < i; ++j) {
      Complex below = upper ? std::conj(a(j, i)) : a(i, j);
      result(i, j) = below;
      result(j, i) = std::conj(below);
    }
  }
  return result;
}

/// (A, UPLO, compute_v) -> (eigenvalues, eigenvectors), rising. The sign of an eigenvector is open.
Value eigenHermitian(KernelArgs &args) {
  MatrixBatch a(args, args.tensor(0));
  llvm::StringRef triangle = args.text(1, "L");
  bool vectors = args.boolean(2, true);
  args.check(triangle == "L" || triangle == "U", "got UPLO '" + triangle + "', expected 'L' or 'U'");
  if (!checkSquare(args, a))
    return {};
  Tensor values = numbersOf(realTypeOf(a.tensor.dtype()), a.batchSizes(), a.rows);
  Tensor columns = vectors ? newMatrices(a.tensor.dtype(), a.batchSizes(), a.rows, a.rows, Order::ByColumns)
                           : Tensor::zeros(a.tensor.dtype(), {0});
  for (int64_t n = 0; n < a.count; ++n) {
    Matrix matrix = hermitian(a.read(n), triangle == "U"), v = Matrix::identity(a.rows);
    diagonalize(matrix, v);
    Scratch<double> diagonal;
    for (int64_t i = 0; i < a.rows; ++i)
      diagonal.push_back(matrix(i, i).real());
    IntList order = orderOf(diagonal, false);
    writeOrdered(elementOfBatch(values, a.batchSizes(), n), diagonal, order);
    if (vectors)
      write(elementOfBatch(columns, a.batchSizes(), n), orderedColumns(v, order));
  }
  return Value::tensors({values, columns});
}

struct Singular {
  Matrix u; ///< [m, m]
  Scratch<double> values;
  Matrix v; ///< [n, n]
};

/// For m >= n. Columns of U without a singular value complete the others to a basis.
Singular singularOf(Matrix a) {
  Matrix v = Matrix::identity(a.columns());
  orthogonalizeColumns(a, v);
  Scratch<double> lengths;
  for (int64_t j = 0; j < a.columns(); ++j) {
    double squares = 0;
    for (int64_t i = 0; i < a.rows(); ++i)
      squares += std::norm(a(i, j));
    lengths.push_back(std::sqrt(squares));
  }
  IntList order = orderOf(lengths, true);
  Matrix columns = orderedColumns(a, order);
  Singular result{Matrix(0, 0), {}, orderedColumns(v, order)};
  for (int64_t j = 0; j < a.columns(); ++j)
    result.values.push_back(lengths[static_cast<size_t>(order[j])]);
  // QR of orthogonal columns gives them again, up to factors of magnitude 1, and completes them.
  Orthogonal basis = qrOf(columns);
  for (int64_t j = 0; j < a.columns(); ++j)
    if (double length = std::abs(basis.r(j, j)); length > 0)
      for (int64_t i = 0; i < a.rows(); ++i)
        basis.q(i, j) *= basis.r(j, j) / length;
  result.u = std::move(basis.q);
  return result;
}

/// (A, full_matrices, compute_uv, driver) -> (U, S, Vh). The signs of singular vectors are open.
Value svd(KernelArgs &args) {
  MatrixBatch a(args, args.tensor(0));
  bool full = args.boolean(1, false), vectors = args.boolean(2, true);
  if (args.failed())
    return {};
  DType dtype = a.tensor.dtype();
  int64_t small = std::min(a.rows, a.columns), left = full ? a.rows : small, right = full ? a.columns : small;
  Tensor u = vectors ? newMatrices(dtype, a.batchSizes(), a.rows, left, Order::ByColumns) : Tensor::zeros(dtype, {0});
  Tensor vh =
      vectors ? newMatrices(dtype, a.batchSizes(), right, a.columns, Order::ByColumns) : Tensor::zeros(dtype, {0});
  Tensor values = numbersOf(realTypeOf(dtype), a.batchSizes(), small);
  bool wide = a.rows < a.columns;
  for (int64_t n = 0; n < a.count; ++n) {
    Matrix matrix = a.read(n);
    Singular s = singularOf(wide ? matrix.adjoint() : matrix);
    IntList order(static_cast<size_t>(small));
    std::iota(order.begin(), order.end(), 0);
    writeOrdered(elementOfBatch(values, a.batchSizes(), n), s.values, order);
    if (!vectors)
      continue;
    write(elementOfBatch(u, a.batchSizes(), n), part(wide ? s.v : s.u, a.rows, left));
    write(elementOfBatch(vh, a.batchSizes(), n), part(wide ? s.u : s.v, a.columns, right).adjoint());
  }
  return Value::tensors({u, values, vh});
}

const Kernel factorizationTable[] = {
    {"aten._linalg_eigh.default", "A,UPLO,compute_v", eigenHermitian},
    {"aten._linalg_svd.default", "A,full_matrices,compute_uv,driver", svd},
    {"aten.linalg_cholesky_ex.default", "self,upper,check_errors", choleskyEx},
    {"aten.linalg_lu_factor_ex.default", "A,pivot,check_errors", luFactorEx},
    {"aten.linalg_qr.default", "A,mode", qr},
    {"aten.lu_unpack.default", "LU_data,LU_pivots,unpack_data,unpack_pivots", luUnpack},
};

} // namespace

llvm::ArrayRef<Kernel> factorizationKernels() { return factorizationTable; }

} // namespace ccgraph::runtime
