#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "kernels/products.h"
#include "tensor/elements.h"

// Parallel sums would make results depend on the number of cores.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

namespace ccgraph::runtime {
namespace {

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A part of a matrix, widened: rows and columns from `row` and `column` on, as many as fit or as there are.
template <typename T>
struct Tile {
  /// Eigen packs into stack memory up to 128 KiB.
  static constexpr int64_t most = sizeof(T) <= 8 ? 128 : 64;

  Tile(int64_t rows, int64_t columns) : values(static_cast<size_t>(std::min(rows, most) * std::min(columns, most))) {}

  void resize(int64_t newRows, int64_t newColumns) {
    rows = std::min(newRows, most);
    columns = std::min(newColumns, most);
  }
  [[nodiscard]] llvm::MutableArrayRef<T> row(int64_t i) {
    return {values.data() + i * columns, static_cast<size_t>(columns)};
  }
  [[nodiscard]] Eigen::Map<Matrix<T>> matrix() { return {values.data(), rows, columns}; }

  void read(const Tensor &tensor, int64_t fromRow, int64_t fromColumn) {
    resize(tensor.size(0) - fromRow, tensor.size(1) - fromColumn);
    for (int64_t i = 0; i < rows; ++i)
      readRow<T>(tensor.dtype(), place(tensor, fromRow + i, fromColumn), row(i));
  }
  void write(const Tensor &tensor, int64_t toRow, int64_t toColumn) {
    for (int64_t i = 0; i < rows; ++i)
      writeRow<T>(tensor.dtype(), place(tensor, toRow + i, toColumn), row(i));
  }

  int64_t rows = 0;
  int64_t columns = 0;
  Scratch<T> values;

private:
  static Row place(const Tensor &tensor, int64_t row, int64_t column) {
    return {tensor.data() + row * strideBytes(tensor, 0) + column * strideBytes(tensor, 1), strideBytes(tensor, 1)};
  }
};

/// out = beta * bias + alpha * a b; without a bias, alpha is 1.
struct Product {
  Tensor a;                   ///< [n, k]
  Tensor b;                   ///< [k, m]
  std::optional<Tensor> bias; ///< [n, m], perhaps expanded
  Complex beta = 1;
  Complex alpha = 1;
  /// one matrix of several, which PyTorch multiplies by other means
  bool isOfBatch = false;
};

/// Returns whether a sum of one term is the term itself, so that -0 stays -0, and not the term added to 0. PyTorch's
/// products of two matrices of f32 or f64 keep the term on the CPU. Products with a vector, of batches and of other
/// dtypes add it to 0.
bool keepsOnlyTerm(const Tensor &out, const Product &product) {
  bool isReal = out.dtype() == DType::F32 || out.dtype() == DType::F64;
  bool isMatrix = out.size(0) > 1 && out.size(1) > 1;
  return product.a.size(1) == 1 && isReal && !product.isOfBatch && (isMatrix || product.bias);
}

template <typename T>
T as(Complex factor) {
  if constexpr (std::is_same_v<T, Complex>)
    return factor;
  else
    return static_cast<T>(factor.real());
}

template <typename T>
struct Tiles {
  Tile<T> a, b, sums;
};

/// sums = beta * bias + alpha * sums; without a term, beta * bias.
template <typename T>
void addBias(Tiles<T> &tiles, const Product &product, int64_t row, int64_t column) {
  auto sums = tiles.sums.matrix();
  sums *= as<T>(product.alpha);
  if (product.beta == 0.0) // Because beta = 0 ignores the bias, even NaN (torch.addmm).
    return;
  Tile<T> bias(tiles.sums.rows, tiles.sums.columns);
  bias.read(product.bias->slice(0, row, row + tiles.sums.rows).slice(1, column, column + tiles.sums.columns), 0, 0);
  if (product.a.size(1) == 0)
    sums = as<T>(product.beta) * bias.matrix();
  else
    sums += as<T>(product.beta) * bias.matrix();
}

template <typename T>
void multiplyTile(const Tensor &out, const Product &product, Tiles<T> &tiles, std::pair<int64_t, int64_t> at) {
  auto [row, column] = at;
  tiles.sums.resize(out.size(0) - row, out.size(1) - column);
  tiles.sums.matrix().setZero();
  for (int64_t inner = 0; inner < product.a.size(1); inner += Tile<T>::most) {
    tiles.a.read(product.a, row, inner);
    tiles.b.read(product.b, inner, column);
    if (keepsOnlyTerm(out, product))
      tiles.sums.matrix().noalias() = tiles.a.matrix().col(0) * tiles.b.matrix().row(0);
    else
      tiles.sums.matrix().noalias() += tiles.a.matrix() * tiles.b.matrix();
  }
  if (product.bias)
    addBias(tiles, product, row, column);
  tiles.sums.write(out, row, column);
}

/// Sums in the wide type and rounds once: closer to the exact product than f32 or bf16 accumulation in any order. Tiles
/// are widened as they are needed, so that no memory grows with the factors.
template <typename T>
void multiplyAs(const Tensor &out, const Product &product) {
  int64_t rows = out.size(0), columns = out.size(1), inner = product.a.size(1);
  if (rows == 0 || columns == 0)
    return;
  Tiles<T> tiles{{rows, inner}, {inner, columns}, {rows, columns}};
  for (int64_t row = 0; row < rows; row += Tile<T>::most)
    for (int64_t column = 0; column < columns; column += Tile<T>::most)
      multiplyTile(out, product, tiles, {row, column});
}

void multiply(const Tensor &out, const Product &product) {
  switch (classOf(out.dtype())) {
  case DTypeClass::Complex:
    return multiplyAs<Complex>(out, product);
  case DTypeClass::Float:
    return multiplyAs<double>(out, product);
  case DTypeClass::Bool:
  case DTypeClass::Integer:
    return multiplyAs<int64_t>(out, product);
  }
}

bool checkProduct(KernelArgs &args, const Tensor &a, const Tensor &b, int64_t rank) {
  bool shapes = a.rank() == rank && b.rank() == rank && a.size(rank - 1) == b.size(rank - 2) &&
                a.sizes().drop_back(2) == b.sizes().drop_back(2);
  args.check(shapes, "got " + typeOf(a) + " times " + typeOf(b) + ", expected [" + (rank == 3 ? "b, " : "") +
                         "n, k] times [" + (rank == 3 ? "b, " : "") + "k, m]");
  args.check(a.dtype() == b.dtype() && computable(a.dtype()) && a.dtype() != DType::Bool,
             "got dtypes " + shortName(a.dtype()) + " and " + shortName(b.dtype()) + ", expected equal numbers");
  return !args.failed();
}

Value mm(KernelArgs &args) {
  const Tensor &a = args.tensor(0);
  const Tensor &b = args.tensor(1);
  if (args.failed() || !checkProduct(args, a, b, 2))
    return {};
  Tensor out = args.result(args.dtype(2, a.dtype()), {a.size(0), b.size(1)});
  multiply(out, {a, b, {}});
  return out;
}

Value addmm(KernelArgs &args) {
  const Tensor &bias = args.tensor(0);
  const Tensor &a = args.tensor(1);
  const Tensor &b = args.tensor(2);
  Complex beta = args.factor(3);
  Complex alpha = args.factor(4);
  if (args.failed() || !checkProduct(args, a, b, 2) ||
      !args.check(bias.dtype() == a.dtype(),
                  "got a bias " + typeOf(bias) + " for " + typeOf(a) + ", expected equal dtypes"))
    return {};
  Tensor out = args.result(a.dtype(), {a.size(0), b.size(1)});
  Tensor stretched = args.take(bias.expand(out.sizes()));
  if (!args.failed())
    multiply(out, {a, b, stretched, beta, alpha});
  return out;
}

/// One matrix product an element of the first dimension.
void multiplyBatch(const Tensor &out, const Product &batch) {
  for (int64_t i = 0; i < out.size(0); ++i) {
    std::optional<Tensor> bias;
    if (batch.bias)
      bias = batch.bias->select(0, i);
    multiply(out.select(0, i),
             {batch.a.select(0, i), batch.b.select(0, i), bias, batch.beta, batch.alpha, batch.isOfBatch});
  }
}

Value bmm(KernelArgs &args) {
  const Tensor &a = args.tensor(0);
  const Tensor &b = args.tensor(1);
  if (args.failed() || !checkProduct(args, a, b, 3))
    return {};
  Tensor out = args.result(args.dtype(2, a.dtype()), {a.size(0), a.size(1), b.size(2)});
  multiplyBatch(out, {.a = a, .b = b, .isOfBatch = true});
  return out;
}

Value baddbmm(KernelArgs &args) {
  const Tensor &bias = args.tensor(0);
  const Tensor &a = args.tensor(1);
  const Tensor &b = args.tensor(2);
  Complex beta = args.factor(3);
  Complex alpha = args.factor(4);
  if (args.failed() || !checkProduct(args, a, b, 3))
    return {};
  Tensor out = args.result(a.dtype(), {a.size(0), a.size(1), b.size(2)});
  Tensor stretched = args.take(bias.expand(out.sizes()));
  if (!args.failed())
    multiplyBatch(out, {a, b, stretched, beta, alpha, /*isOfBatch=*/true});
  return out;
}

Value matmul(KernelArgs &args);

/// input [.., k] times weight [m, k] transposed, plus bias [m]. A weight [k] is one row, and its dimension goes.
Value linear(KernelArgs &args) {
  const Tensor &input = args.tensor(0);
  const Tensor &weight = args.tensor(1);
  std::optional<Tensor> bias = args.optionalTensor(2);
  if (!args.failed() && weight.rank() == 1 && !bias)
    return matmul(args);
  bool shapes = input.rank() > 0 && weight.rank() == 2 && input.sizes().back() == weight.size(1) &&
                input.dtype() == weight.dtype() && computable(input.dtype());
  if (args.failed() || !args.check(shapes, "got input " + typeOf(input) + " and weight " + typeOf(weight) +
                                               ", expected [.., k] and [m, k]"))
    return {};
  IntList sizes = toIntList(input.sizes());
  sizes.back() = weight.size(0);
  Tensor out = args.result(input.dtype(), sizes);
  int64_t features = weight.size(0);
  int64_t rows = productOf(input.sizes().drop_back());
  Tensor flat = out.reinterpret(out.dtype(), {{rows, features}, {features, 1}, out.offset()});
  Product product{args.take(input.contiguous().view({rows, weight.size(1)})), weight.permute({1, 0}), {}};
  if (bias)
    product.bias = args.take(bias->expand(flat.sizes()));
  if (!args.failed())
    multiply(flat, product);
  return out;
}

/// Vectors and batches broadcast as torch.matmul does: a 1-d operand gains a dimension that the result loses again.
Value matmul(KernelArgs &args) {
  Tensor a = args.tensor(0);
  Tensor b = args.tensor(1);
  if (args.failed() || !args.check(a.rank() > 0 && b.rank() > 0, "got a 0-d tensor"))
    return {};
  bool vectorA = a.rank() == 1;
  bool vectorB = b.rank() == 1;
  a = vectorA ? a.unsqueeze(0) : a;
  b = vectorB ? b.unsqueeze(1) : b;
  std::optional<IntList> batch = broadcastSizes(a.sizes().drop_back(2), b.sizes().drop_back(2));
  if (!args.check(batch.has_value(), "got " + typeOf(a) + " times " + typeOf(b) + ", expected batches that broadcast"))
    return {};
  auto flatten = [&](const Tensor &t) {
    IntList sizes(*batch);
    sizes.append({t.size(t.rank() - 2), t.size(t.rank() - 1)});
    Tensor whole = args.take(t.expand(sizes));
    return whole.contiguous().reinterpret(t.dtype(),
                                          {{productOf(*batch), t.size(t.rank() - 2), t.size(t.rank() - 1)},
                                           {t.size(t.rank() - 2) * t.size(t.rank() - 1), t.size(t.rank() - 1), 1},
                                           whole.isContiguous() ? whole.offset() : 0});
  };
  Tensor left = flatten(a);
  Tensor right = flatten(b);
  if (args.failed() || !checkProduct(args, left, right, 3))
    return {};
  IntList sizes(*batch);
  if (!vectorA)
    sizes.push_back(left.size(1));
  if (!vectorB)
    sizes.push_back(right.size(2));
  Tensor out = args.result(a.dtype(), sizes);
  multiplyBatch(args.take(out.view({left.size(0), left.size(1), right.size(2)})),
                {.a = left, .b = right, .isOfBatch = !batch->empty()});
  return out;
}

/// Ends of the groups, ascending, within `limit`; empty after a failure.
IntList groupEnds(KernelArgs &args, const Tensor &offsets, int64_t limit) {
  bool known = offsets.rank() == 1 && classOf(offsets.dtype()) == DTypeClass::Integer && computable(offsets.dtype());
  if (args.failed() || !args.check(known, "got offs " + typeOf(offsets)))
    return {};
  IntList ends(static_cast<size_t>(offsets.size(0)));
  readRow<int64_t>(offsets.dtype(), {offsets.data(), strideBytes(offsets, 0)}, ends);
  int64_t last = 0;
  for (int64_t end : ends) {
    args.check(end >= last && end <= limit,
               "got offs " + dimsOf(ends) + ", expected ascending ends up to " + llvm::Twine(limit));
    last = end;
  }
  return args.failed() ? IntList() : ends;
}

/// Computes one product a group. For a [t, k] and b [groups, k, m], each group's rows of a are multiplied by its own
/// matrix. For a [n, t] and b [t, m], each group's columns of a are multiplied by its rows of b: [groups, n, m]. Rows
/// beyond the last end stay zero.
Value groupedMm(KernelArgs &args) {
  const Tensor &a = args.tensor(0);
  const Tensor &b = args.tensor(1);
  args.check(!args.has(3), "got a bias, which is not supported");
  DType dtype = args.dtype(4, a.dtype());
  bool byMatrix = b.rank() == 3;
  bool fits = a.rank() == 2 && a.dtype() == b.dtype() && computable(a.dtype()) &&
              (byMatrix ? a.size(1) == b.size(1) : b.rank() == 2 && a.size(1) == b.size(0));
  if (args.failed() || !args.check(fits, "got " + typeOf(a) + " and " + typeOf(b) +
                                             ", expected [t, k] and [groups, k, m], or [n, t] and [t, m]"))
    return {};
  IntList ends = groupEnds(args, args.tensor(2), byMatrix ? a.size(0) : a.size(1));
  auto groups = static_cast<int64_t>(ends.size());
  if (args.failed() ||
      !args.check(!byMatrix || groups == b.size(0), "got " + llvm::Twine(groups) + " ends for " + typeOf(b)))
    return {};
  Tensor out = byMatrix ? args.zeroResult(dtype, {a.size(0), b.size(2)})
                        : args.zeroResult(dtype, {groups, a.size(0), b.size(1)});
  int64_t start = 0;
  for (int64_t i = 0; i < groups; start = ends[i++])
    if (byMatrix)
      multiply(out.slice(0, start, ends[i]), {a.slice(0, start, ends[i]), b.select(0, i), {}});
    else
      multiply(out.select(0, i), {a.slice(1, start, ends[i]), b.slice(0, start, ends[i]), {}});
  return out;
}

const Kernel matmulTable[] = {
    {"aten._grouped_mm.default", "self,mat2,offs,bias,out_dtype", groupedMm},
    {"aten.addmm.default", "self,mat1,mat2,beta,alpha", addmm},
    {"aten.baddbmm.default", "self,batch1,batch2,beta,alpha", baddbmm},
    {"aten.bmm.default", "self,mat2", bmm},
    {"aten.bmm.dtype", "self,mat2,out_dtype", bmm},
    {"aten.dot.default", "self,tensor", matmul},
    {"aten.linear.default", "input,weight,bias", linear},
    {"aten.matmul.default", "self,other", matmul},
    {"aten.mm.default", "self,mat2", mm},
    {"aten.mm.dtype", "self,mat2,out_dtype", mm},
    {"aten.mv.default", "self,vec", matmul},
};

} // namespace

llvm::ArrayRef<Kernel> matmulKernels() { return matmulTable; }

static Eigen::Map<const Matrix<double>> asEigen(const RealMatrix &m) { return {m.values.data(), m.rows, m.columns}; }

RealMatrix product(const RealMatrix &a, const RealMatrix &b) {
  RealMatrix result(a.rows, b.columns);
  Eigen::Map<Matrix<double>>(result.values.data(), a.rows, b.columns).noalias() = asEigen(a) * asEigen(b);
  return result;
}

RealMatrix productTransposedA(const RealMatrix &a, const RealMatrix &b) {
  RealMatrix result(a.columns, b.columns);
  Eigen::Map<Matrix<double>>(result.values.data(), a.columns, b.columns).noalias() =
      asEigen(a).transpose() * asEigen(b);
  return result;
}

RealMatrix productTransposedB(const RealMatrix &a, const RealMatrix &b) {
  RealMatrix result(a.rows, b.rows);
  Eigen::Map<Matrix<double>>(result.values.data(), a.rows, b.rows).noalias() = asEigen(a) * asEigen(b).transpose();
  return result;
}

} // namespace ccgraph::runtime
