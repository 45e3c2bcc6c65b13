#include "kernels/calls.h"
#include "kernels/dense_matrix.h"
#include "kernels/families.h"

#include <cmath>

// Systems of linear equations, inverses and determinants, by LU or triangular factors.
namespace ccgraph::runtime {
namespace {

bool checkSquare(KernelArgs &args, const MatrixBatch &a) {
  return !args.failed() && args.check(a.rows == a.columns, "got " + typeOf(a.tensor) + ", expected square matrices");
}

/// X with A X = B, from A = P^T L U; for `adjoint`, with A^H X = B.
Matrix solved(const LuFactors &f, Matrix b, bool adjoint) {
  auto size = static_cast<int64_t>(f.pivots.size());
  if (!adjoint) {
    for (int64_t i = 0; i < size; ++i)
      b.swapRows(i, f.pivots[i]);
    solveTriangle(f.lu, {.upper = false, .unit = true}, b);
    solveTriangle(f.lu, {.upper = true}, b);
    return b;
  }
  Matrix turned = f.lu.adjoint();
  solveTriangle(turned, {.upper = false}, b);
  solveTriangle(turned, {.upper = true, .unit = true}, b);
  for (int64_t i = size; i-- > 0;)
    b.swapRows(i, f.pivots[i]);
  return b;
}

/// A and B in the common sizes of their batches.
struct System {
  MatrixBatch a, b;

  System(KernelArgs &args, const Tensor &left, const Tensor &right) : a(args, left), b(args, right) {
    std::optional<IntList> batch;
    if (!args.failed())
      batch = broadcastSizes(a.batchSizes(), b.batchSizes());
    if (args.failed() || !args.check(batch && a.tensor.dtype() == b.tensor.dtype(),
                                     "got " + typeOf(left) + " and " + typeOf(right) +
                                         ", expected one dtype, and batches that broadcast"))
      return;
    a = MatrixBatch(args, stretched(a, *batch));
    b = MatrixBatch(args, stretched(b, *batch));
  }

private:
  static Tensor stretched(const MatrixBatch &m, IntList batch) {
    batch.append({m.rows, m.columns});
    return llvm::cantFail(m.tensor.expand(batch));
  }
};

/// Checks that B has as many rows as A, or columns where A stands to the right of X.
bool checkSystem(KernelArgs &args, const System &s, bool left) {
  return checkSquare(args, s.a) && args.check((left ? s.b.rows : s.b.columns) == s.a.rows,
                                              "got " + typeOf(s.a.tensor) + " and " + typeOf(s.b.tensor));
}

/// Writes solve(n, B) for each pair of matrices, where X A = B is solved as A^T X^T = B^T.
Tensor eachSolution(const System &s, bool left, Order order, llvm::function_ref<Matrix(int64_t n, Matrix b)> solve) {
  Tensor result = newMatrices(s.b.tensor.dtype(), s.b.batchSizes(), s.b.rows, s.b.columns, order);
  for (int64_t n = 0; n < s.b.count; ++n) {
    Matrix b = s.b.read(n);
    Matrix x = solve(n, left ? b : b.transposed());
    write(elementOfBatch(result, s.b.batchSizes(), n), left ? x : x.transposed());
  }
  return result;
}

// --- Triangles --------------------------------------------------------------------------------------------
/// (self, B, upper, left, unitriangular)
Value solveTriangular(KernelArgs &args) {
  System s(args, args.tensor(0), args.tensor(1));
  bool upper = args.boolean(2, false), left = args.boolean(3, true), unit = args.boolean(4, false);
  if (!checkSystem(args, s, left))
    return {};
  return eachSolution(s, left, Order::ByColumns, [&](int64_t n, Matrix b) {
    Matrix a = s.a.read(n);
    solveTriangle(left ? a : a.transposed(), {left ? upper : !upper, unit}, b);
    return b;
  });
}

/// (self, input2, upper): A X = B for A of Cholesky factor `input2`.
Value choleskySolve(KernelArgs &args) {
  System s(args, args.tensor(1), args.tensor(0));
  bool upper = args.boolean(2, false);
  if (!checkSystem(args, s, true))
    return {};
  return eachSolution(s, true, Order::ByColumns, [&](int64_t n, Matrix b) {
    Matrix factor = s.a.read(n), lower = upper ? factor.adjoint() : factor;
    solveTriangle(lower, {.upper = false}, b);
    solveTriangle(lower.adjoint(), {.upper = true}, b);
    return b;
  });
}

// --- LU ---------------------------------------------------------------------------------------------------
/// The factors of a batch in tensors as PyTorch returns them.
struct FactoredBatch {
  Scratch<LuFactors> factors;
  Tensor lu, pivots, info;
};

/// PyTorch's determinants factor the transpose of a real matrix that is row-major, which LAPACK reads without a copy.
bool factorsTranspose(const Tensor &a) { return a.isContiguous() && !isComplex(a.dtype()); }

FactoredBatch factored(const MatrixBatch &a, bool transpose) {
  IntList sizes = toIntList(a.tensor.sizes().drop_back());
  FactoredBatch f{{},
                  newMatrices(a.tensor.dtype(), a.batchSizes(), a.rows, a.columns, Order::ByColumns),
                  Tensor::zeros(DType::I32, sizes),
                  Tensor::zeros(DType::I32, a.batchSizes())};
  for (int64_t n = 0; n < a.count; ++n) {
    Matrix matrix = a.read(n);
    const LuFactors &lu = f.factors.emplace_back(luOf(transpose ? matrix.transposed() : matrix));
    write(elementOfBatch(f.lu, a.batchSizes(), n), lu.lu);
    for (int64_t i = 0; i < a.rows; ++i)
      writeElement<int64_t>(DType::I32, f.pivots.data() + 4 * (n * a.rows + i), lu.pivots[i] + 1);
    writeElement<int64_t>(DType::I32, f.info.data() + 4 * n, lu.singular);
  }
  return f;
}

/// The solutions of vectors, [batch..., n, 1], as PyTorch lays them out: the vectors of the last dimension of the batch
/// are the rows of a matrix by columns.
Tensor solvedVectors(const Tensor &result) {
  const Tensor vectors = result.squeeze(result.rank() - 1);
  if (vectors.rank() < 2)
    return vectors;
  const IntListRef sizes = vectors.sizes();
  Tensor laidOut =
      newMatrices(vectors.dtype(), sizes.drop_back(2), sizes[sizes.size() - 2], sizes.back(), Order::ByColumns);
  laidOut.copyFrom(vectors);
  return laidOut;
}

/// (A, B, left, check_errors) -> (result, LU, pivots, info). B may be a vector, or a batch of them.
Value solveEx(KernelArgs &args) {
  const Tensor &a = args.tensor(0), &b = args.tensor(1);
  bool left = args.boolean(2, true);
  bool vector = b.rank() == 1 || (a.rank() - 1 == b.rank() && b.sizes() == a.sizes().drop_back());
  System s(args, a, vector && !args.failed() ? b.unsqueeze(b.rank()) : b);
  if (!checkSystem(args, s, left))
    return {};
  MatrixBatch own(args, a);
  FactoredBatch f = factored(own, false);
  for (const LuFactors &lu : f.factors)
    args.check(lu.singular == 0 || !args.boolean(3, false), "got a singular matrix");
  Tensor result = eachSolution(s, left, left ? Order::ByColumns : Order::ByRows, [&](int64_t n, Matrix right) {
    Matrix matrix = s.a.read(n);
    return solved(luOf(left ? matrix : matrix.transposed()), std::move(right), false);
  });
  if (args.failed())
    return {};
  return Value::tensors({vector ? solvedVectors(result) : result, f.lu, f.pivots, f.info});
}

/// (LU, pivots, B, left, adjoint)
Value luSolve(KernelArgs &args) {
  System s(args, args.tensor(0), args.tensor(2));
  bool left = args.boolean(3, true), adjoint = args.boolean(4, false);
  if (!checkSystem(args, s, left))
    return {};
  IntList sizes = toIntList(s.a.tensor.sizes().drop_back());
  Tensor pivots = args.take(args.tensor(1).expand(sizes));
  if (args.failed())
    return {};
  return eachSolution(s, left, left ? Order::ByColumns : Order::ByRows, [&](int64_t n, Matrix b) {
    LuFactors f{s.a.read(n), {}};
    Tensor row = elementOfBatch(pivots, s.a.batchSizes(), n);
    for (int64_t i = 0; i < s.a.rows; ++i)
      f.pivots.push_back(readElement<int64_t>(row.dtype(), row.data() + i * strideBytes(row, 0)) - 1);
    if (left)
      return solved(f, std::move(b), adjoint);
    // X A = B is A^H X^H = B^H: the transposed right side is conjugated before and after.
    Matrix x = solved(f, b.transposed().adjoint(), !adjoint);
    return x.adjoint().transposed();
  });
}

/// (A, check_errors) -> (inverse, info)
Value inverseEx(KernelArgs &args) {
  MatrixBatch a(args, args.tensor(0));
  if (!checkSquare(args, a))
    return {};
  Tensor inverse = newMatrices(a.tensor.dtype(), a.batchSizes(), a.rows, a.rows, Order::ByColumns);
  Tensor info = Tensor::zeros(DType::I32, a.batchSizes());
  for (int64_t n = 0; n < a.count; ++n) {
    LuFactors f = luOf(a.read(n));
    args.check(f.singular == 0 || !args.boolean(1, false), "got a singular matrix " + llvm::Twine(n));
    write(elementOfBatch(inverse, a.batchSizes(), n), solved(f, Matrix::identity(a.rows), false));
    writeElement<int64_t>(DType::I32, info.data() + 4 * n, f.singular);
  }
  return args.failed() ? Value() : Value::tensors({inverse, info});
}

/// The product of the diagonal, with the sign of the exchanges.
Complex determinantOf(const LuFactors &f) {
  Complex product = 1;
  for (int64_t i = 0; i < f.lu.rows(); ++i)
    product *= f.pivots[i] == i ? f.lu(i, i) : -f.lu(i, i);
  return product;
}
/// The determinant without its magnitude, and the logarithm of that.
std::pair<Complex, double> signAndLog(const LuFactors &f) {
  Complex sign = 1;
  double log = 0;
  for (int64_t i = 0; i < f.lu.rows(); ++i) {
    Complex factor = f.pivots[i] == i ? f.lu(i, i) : -f.lu(i, i);
    double magnitude = std::abs(factor);
    // The sign of a real NaN is 0, as torch.sgn has it.
    bool none = magnitude == 0 || (std::isnan(magnitude) && factor.imag() == 0);
    sign *= none ? 0 : factor / magnitude;
    log += std::log(magnitude);
  }
  return {sign, log};
}

/// (A) -> (determinant, LU, pivots)
Value determinant(KernelArgs &args) {
  MatrixBatch a(args, args.tensor(0));
  if (!checkSquare(args, a))
    return {};
  FactoredBatch f = factored(a, factorsTranspose(a.tensor));
  Tensor result = Tensor::zeros(a.tensor.dtype(), a.batchSizes());
  for (int64_t n = 0; n < a.count; ++n)
    writeElement<Complex>(result.dtype(), result.data() + n * result.elementSize(),
                          determinantOf(f.factors[static_cast<size_t>(n)]));
  return Value::tensors({result, f.lu, f.pivots});
}

/// (A) -> (sign, logarithm of the magnitude, LU, pivots)
Value logDeterminant(KernelArgs &args) {
  MatrixBatch a(args, args.tensor(0));
  if (!checkSquare(args, a))
    return {};
  FactoredBatch f = factored(a, factorsTranspose(a.tensor));
  Tensor signs = Tensor::zeros(a.tensor.dtype(), a.batchSizes());
  Tensor logs = Tensor::zeros(realTypeOf(a.tensor.dtype()), a.batchSizes());
  for (int64_t n = 0; n < a.count; ++n) {
    auto [sign, log] = signAndLog(f.factors[static_cast<size_t>(n)]);
    writeElement<Complex>(signs.dtype(), signs.data() + n * signs.elementSize(), sign);
    writeElement<double>(logs.dtype(), logs.data() + n * logs.elementSize(), log);
  }
  return Value::tensors({signs, logs, f.lu, f.pivots});
}

/// (info, api_name, is_matrix): fails where a factorization reported a number other than 0.
Value checkErrors(KernelArgs &args) {
  Tensor info = args.tensor(0).contiguous();
  llvm::StringRef name = args.text(1, "");
  for (int64_t i = 0; i < info.numElements() && !args.failed(); ++i) {
    auto failed = readElement<int64_t>(info.dtype(), info.data() + i * info.elementSize());
    args.check(failed == 0, "got info " + llvm::Twine(failed) + " of matrix " + llvm::Twine(i) + " from " + name +
                                ", expected 0: the matrix is singular, not positive definite, or did not converge");
  }
  return {};
}

const Kernel solverTable[] = {
    {"aten._linalg_check_errors.default", "info,api_name,is_matrix", checkErrors},
    {"aten._linalg_det.default", "A", determinant},
    {"aten._linalg_slogdet.default", "A", logDeterminant},
    {"aten._linalg_solve_ex.default", "A,B,left,check_errors", solveEx},
    {"aten.cholesky_solve.default", "self,input2,upper", choleskySolve},
    {"aten.linalg_inv_ex.default", "A,check_errors", inverseEx},
    {"aten.linalg_lu_solve.default", "LU,pivots,B,left,adjoint", luSolve},
    {"aten.linalg_solve_triangular.default", "self,B,upper,left,unitriangular", solveTriangular},
};

} // namespace

llvm::ArrayRef<Kernel> linearSolverKernels() { return solverTable; }

} // namespace ccgraph::runtime
