#include "kernels/calls.h"
#include "kernels/dense_values.h"
#include "kernels/families.h"

#include <cmath>

// Distances of the rows of matrices: torch.cdist and torch.pdist.
namespace ccgraph::runtime {
namespace {

/// The norm of order p of a - b: the number of differing elements for 0, the largest difference for infinity.
double distance(const double *a, const double *b, int64_t count, double p) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    double difference = std::fabs(a[i] - b[i]);
    if (std::isinf(p))
      sum = std::isnan(difference) || difference > sum ? difference : sum;
    else
      sum += p == 0   ? difference != 0
             : p == 1 ? difference
             : p == 2 ? difference * difference
                      : std::pow(difference, p);
  }
  return p == 0 || p == 1 || std::isinf(p) ? sum : p == 2 ? std::sqrt(sum) : std::pow(sum, 1 / p);
}

/// The slope of the distance along one element of a.
double slope(double difference, double distance, double p) {
  double magnitude = std::fabs(difference), sign = std::isnan(difference) ? NAN : (difference > 0) - (difference < 0);
  if (std::isinf(p)) {
    const double missing = std::fabs(magnitude - distance); // NaN where both are infinite
    return std::isnan(missing) ? NAN : missing == 0 ? sign : 0;
  }
  if (p == 0 || (distance == 0 && p != 1) || difference == 0)
    return 0;
  if (p == 1)
    return sign;
  return p == 2 ? difference / distance : sign * std::pow(magnitude / distance, p - 1);
}

/// Batches of row pairs: row i of a with row j of b.
struct Pairs {
  IntList batch;
  int64_t rows = 0, others = 0, columns = 0;
  Values a, b;
  double p = 2;
};

/// `first`: the arguments x1, x2, p.
Pairs pairsOf(KernelArgs &args, unsigned first) {
  Tensor a = args.tensor(first), b = args.tensor(first + 1);
  Pairs pairs{.p = args.number(first + 2)};
  bool fits = a.rank() >= 2 && b.rank() >= 2 && a.sizes().back() == b.sizes().back() && isFloat(a.dtype()) &&
              a.dtype() == b.dtype() && computable(a.dtype()) && pairs.p >= 0;
  std::optional<IntList> batch;
  if (fits)
    batch = broadcastSizes(a.sizes().drop_back(2), b.sizes().drop_back(2));
  if (args.failed() || !args.check(batch.has_value(), "got " + typeOf(a) + " and " + typeOf(b) +
                                                          ", expected float matrices of as many columns"))
    return pairs;
  auto expanded = [&](const Tensor &x) {
    IntList sizes = *batch;
    sizes.append(x.sizes().end() - 2, x.sizes().end());
    return llvm::cantFail(x.expand(sizes));
  };
  pairs.batch = *batch;
  pairs.rows = a.size(a.rank() - 2);
  pairs.others = b.size(b.rank() - 2);
  pairs.columns = a.sizes().back();
  pairs.a = readAll(expanded(a));
  pairs.b = readAll(expanded(b));
  return pairs;
}

/// Calls body(number of the pair, row of a, row of b).
template <typename Body>
void forEachPair(const Pairs &pairs, Body body) {
  size_t number = 0;
  for (int64_t n = 0; n < productOf(pairs.batch); ++n)
    for (int64_t i = 0; i < pairs.rows; ++i)
      for (int64_t j = 0; j < pairs.others; ++j)
        body(number++, (n * pairs.rows + i) * pairs.columns, (n * pairs.others + j) * pairs.columns);
}

/// (x1, x2, p, compute_mode)
Value crossDistances(KernelArgs &args) {
  Pairs pairs = pairsOf(args, 0);
  if (args.failed())
    return {};
  IntList sizes = pairs.batch;
  sizes.append({pairs.rows, pairs.others});
  Values out(static_cast<size_t>(productOf(sizes)));
  forEachPair(pairs, [&](size_t number, int64_t a, int64_t b) {
    out[number] = distance(pairs.a.data() + a, pairs.b.data() + b, pairs.columns, pairs.p);
  });
  return tensorOf(out, args.tensor(0).dtype(), sizes);
}

/// (grad_output, x1, x2, p, cdist): the gradient of x1, stretched to the batch. Without any pair or column it has the
/// sizes of x1, as PyTorch returns it.
Value crossBackward(KernelArgs &args) {
  Pairs pairs = pairsOf(args, 1);
  const Tensor &grad = args.tensor(0), &distances = args.tensor(4);
  if (args.failed() || !args.check(grad.sizes() == distances.sizes() &&
                                       grad.numElements() == productOf(pairs.batch) * pairs.rows * pairs.others,
                                   "got grad_output " + typeOf(grad) + " for distances " + typeOf(distances)))
    return {};
  IntList sizes = pairs.batch;
  sizes.append({pairs.rows, pairs.columns});
  if (productOf(sizes) == 0 || pairs.others == 0)
    return callKernel(args, "aten.zeros_like.default", {args.at(1)});
  Values upstream = readAll(grad), lengths = readAll(distances), out(static_cast<size_t>(productOf(sizes)));
  forEachPair(pairs, [&](size_t number, int64_t a, int64_t b) {
    for (int64_t c = 0; c < pairs.columns; ++c) {
      double difference = pairs.a[static_cast<size_t>(a + c)] - pairs.b[static_cast<size_t>(b + c)];
      out[static_cast<size_t>(a + c)] += upstream[number] * slope(difference, lengths[number], pairs.p);
    }
  });
  return tensorOf(out, args.tensor(1).dtype(), sizes);
}

/// (x1, x2): by a product of matrices, as PyTorch computes it: |a|^2 - 2 a b + |b|^2.
Value euclidean(KernelArgs &args) {
  auto norm = [&](unsigned i) {
    Tensor squares = callForTensor(args, "aten.pow.Tensor_Scalar", {args.at(i), Value::integer(2)});
    return callForTensor(args, "aten.sum.dim_IntList", {squares, listOf({-1}), Value::boolean(true)});
  };
  auto beside = [&](Value::List columns) {
    return callForTensor(args, "aten.cat.default", {Value::list(std::move(columns)), Value::integer(-1)});
  };
  auto ones = [&](const Tensor &like) { return callForTensor(args, "aten.ones_like.default", {like}); };
  Tensor a = norm(0), b = norm(1);
  Tensor twice = callForTensor(args, "aten.mul.Scalar", {args.at(0), Value::floating(-2)});
  Tensor left = beside({twice, a, ones(a)}), right = beside({args.at(1), ones(b), b});
  Tensor turned = callForTensor(args, "aten.transpose.int", {right, Value::integer(-2), Value::integer(-1)});
  Tensor product = callForTensor(args, "aten.matmul.default", {left, turned});
  return callKernel(args, "aten.sqrt.default",
                    {callForTensor(args, "aten.clamp_min.default", {product, Value::integer(0)})});
}

// --- pdist: of each row with each later row of one matrix ---------------------------------------------------
/// Calls body(number of the pair, first element of the earlier row, of the later row).
template <typename Body>
void forEachRowPair(const Tensor &self, Body body) {
  size_t number = 0;
  for (int64_t i = 0; i < self.size(0); ++i)
    for (int64_t j = i + 1; j < self.size(0); ++j)
      body(number++, i * self.size(1), j * self.size(1));
}

bool checkMatrix(KernelArgs &args, const Tensor &self) {
  return args.check(self.rank() == 2 && isFloat(self.dtype()) && computable(self.dtype()),
                    "got " + typeOf(self) + ", expected a matrix of floats") &&
         !args.failed();
}

/// (self, p)
Value rowDistances(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  double p = args.number(1, 2);
  if (!checkMatrix(args, self))
    return {};
  int64_t rows = self.size(0);
  Values in = readAll(self), out(static_cast<size_t>(rows * (rows - 1) / 2));
  forEachRowPair(self, [&](size_t number, int64_t a, int64_t b) {
    out[number] = distance(in.data() + a, in.data() + b, self.size(1), p);
  });
  return tensorOf(out, self.dtype(), static_cast<int64_t>(out.size()));
}

/// (grad_output, self, p, pdist)
Value rowBackward(KernelArgs &args) {
  const Tensor &grad = args.tensor(0), &self = args.tensor(1), &distances = args.tensor(3);
  double p = args.number(2);
  if (!checkMatrix(args, self) ||
      !args.check(grad.sizes() == distances.sizes() && 2 * grad.numElements() == self.size(0) * (self.size(0) - 1),
                  "got grad_output " + typeOf(grad) + " for distances " + typeOf(distances)))
    return {};
  Values in = readAll(self), upstream = readAll(grad), lengths = readAll(distances), out(in.size());
  forEachRowPair(self, [&](size_t number, int64_t a, int64_t b) {
    for (int64_t c = 0; c < self.size(1); ++c) {
      double difference = in[static_cast<size_t>(a + c)] - in[static_cast<size_t>(b + c)];
      double share = upstream[number] * slope(difference, lengths[number], p);
      out[static_cast<size_t>(a + c)] += share;
      out[static_cast<size_t>(b + c)] -= share;
    }
  });
  return tensorOf(out, self.dtype(), self.sizes());
}

const Kernel distanceTable[] = {
    {"aten._cdist_backward.default", "grad_output,x1,x2,p,cdist", crossBackward},
    {"aten._cdist_forward.default", "x1,x2,p,compute_mode", crossDistances},
    {"aten._euclidean_dist.default", "x1,x2", euclidean},
    {"aten._pdist_backward.default", "grad_output,self,p,pdist", rowBackward},
    {"aten._pdist_forward.default", "self,p", rowDistances},
};

} // namespace

llvm::ArrayRef<Kernel> distanceKernels() { return distanceTable; }

} // namespace ccgraph::runtime
