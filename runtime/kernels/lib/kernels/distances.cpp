#include "kernels/calls.h"
#include "kernels/families.h"
#include "tensor/elements.h"

#include <cmath>

// Distances (sum |a - b|^p)^(1/p) of points, and their gradients.
namespace ccgraph::runtime {
namespace {

double sign(double x) { return std::isnan(x) ? x : (x > 0) - (x < 0); }

/// Which of two algorithms finds Euclid's distance: differences, or products, where infinities make NaN.
enum class Algorithm : uint8_t { Differences, Products };

double distance(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b, double p,
                Algorithm algorithm = Algorithm::Differences) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double off = std::fabs(a[i] - b[i]);
    if (algorithm == Algorithm::Products && p == 2)
      sum += a[i] * a[i] + b[i] * b[i] - 2 * a[i] * b[i];
    else if (std::isinf(p))
      sum = off > sum || std::isnan(off) ? off : sum;
    else
      sum += p == 0 ? off != 0 : p == 1 ? off : p == 2 ? off * off : std::pow(off, p);
  }
  if (p == 0 || p == 1 || std::isinf(p))
    return sum;
  return p == 2 ? std::sqrt(sum < 0 ? 0 : sum) : std::pow(sum, 1 / p);
}

/// How a distance grows with one difference. A point that lies on the other has no slope.
double slope(double difference, double distance, double p) {
  if (p == 0 || (distance == 0 && p != 1))
    return 0;
  if (p == 1)
    return sign(difference);
  if (std::isinf(p))
    return std::isnan(std::fabs(difference) - distance) ? NAN
           : std::fabs(difference) == distance          ? sign(difference)
                                                        : 0;
  if (p == 2)
    return difference / distance;
  if (difference == 0 && p < 1)
    return 0;
  return sign(difference) * std::pow(std::fabs(difference), p - 1) / std::pow(distance, p - 1);
}

/// Points [batch, rows, width], flattened.
struct Points {
  Scratch<double> values;
  int64_t rows = 0;
  int64_t width = 0;

  [[nodiscard]] llvm::ArrayRef<double> row(int64_t i) const {
    return {values.data() + i * width, static_cast<size_t>(width)};
  }
};

Points pointsOf(const Tensor &tensor) {
  return {readAll(tensor), tensor.size(tensor.rank() - 2), tensor.size(tensor.rank() - 1)};
}

Tensor tensorOf(llvm::ArrayRef<double> values, DType dtype, DimsRef sizes) {
  Tensor result = Tensor::zeros(dtype, sizes);
  writeRow<double>(dtype, {result.data(), result.elementSize()}, values);
  return result;
}

/// Both sets of points with equal batches.
struct Pair {
  Tensor first;
  Tensor second;
  Dims batch;
};

std::optional<Pair> pairOf(KernelArgs &args, unsigned at) {
  const Tensor &a = args.tensor(at), &b = args.tensor(at + 1);
  bool fits = a.rank() >= 2 && b.rank() >= 2 && a.sizes().back() == b.sizes().back() && isFloat(a.dtype()) &&
              a.dtype() == b.dtype() && computable(a.dtype());
  std::optional<Dims> batch;
  if (fits)
    batch = broadcastSizes(a.sizes().drop_back(2), b.sizes().drop_back(2));
  if (args.failed() || !args.check(batch.has_value(), "got " + typeOf(a) + " and " + typeOf(b) +
                                                          ", expected points [.., n, k] and [.., m, k]"))
    return std::nullopt;
  auto stretched = [&](const Tensor &t) {
    Dims sizes = *batch;
    sizes.append({t.size(t.rank() - 2), t.size(t.rank() - 1)});
    return args.take(t.expand(sizes));
  };
  return Pair{stretched(a), stretched(b), *batch};
}

/// (x1, x2, p, compute_mode)
Value between(KernelArgs &args) {
  std::optional<Pair> pair = pairOf(args, 0);
  double p = args.number(2, 2);
  // 0: products for more than 25 points, 1: always, 2: never.
  int64_t mode = args.integer(3, 0);
  if (!pair || args.failed())
    return {};
  Points a = pointsOf(pair->first), b = pointsOf(pair->second);
  auto algorithm =
      mode == 1 || (mode == 0 && (a.rows > 25 || b.rows > 25)) ? Algorithm::Products : Algorithm::Differences;
  Scratch<double> result;
  for (int64_t n = 0; n < productOf(pair->batch); ++n)
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < b.rows; ++j)
        result.push_back(distance(a.row(n * a.rows + i), b.row(n * b.rows + j), p, algorithm));
  Dims sizes = pair->batch;
  sizes.append({a.rows, b.rows});
  return tensorOf(result, args.tensor(0).dtype(), sizes);
}

/// (grad_output, x1, x2, p, cdist) -> the gradient of x1
Value betweenBackward(KernelArgs &args) {
  std::optional<Pair> pair = pairOf(args, 1);
  double p = args.number(3, 2);
  if (!pair)
    return {};
  Points a = pointsOf(pair->first), b = pointsOf(pair->second);
  Scratch<double> grad = readAll(args.tensor(0)), distances = readAll(args.tensor(4)), result(a.values.size());
  int64_t pairs = productOf(pair->batch) * a.rows * b.rows;
  if (pairs == 0)
    return Tensor::zeros(args.tensor(1).dtype(), args.tensor(1).sizes());
  if (!args.check(static_cast<int64_t>(grad.size()) == pairs && grad.size() == distances.size(),
                  "got grad " + typeOf(args.tensor(0)) + " and cdist " + typeOf(args.tensor(4))))
    return {};
  for (int64_t at = 0; at < pairs; ++at) {
    int64_t i = at / b.rows, j = at / (a.rows * b.rows) * b.rows + at % b.rows;
    for (int64_t k = 0; k < a.width; ++k) {
      auto index = static_cast<size_t>(at), cell = static_cast<size_t>(i * a.width + k);
      double difference = a.values[cell] - b.values[static_cast<size_t>(j * a.width + k)];
      result[cell] += grad[index] * slope(difference, distances[index], p);
    }
  }
  return tensorOf(result, args.tensor(1).dtype(), pair->first.sizes());
}

bool checkPoints(KernelArgs &args, const Tensor &self) {
  return args.check(self.rank() == 2 && isFloat(self.dtype()) && computable(self.dtype()),
                    "got " + typeOf(self) + ", expected points [n, k]") &&
         !args.failed();
}

/// (self, p): of each two points of one set.
Value among(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  double p = args.number(1, 2);
  if (!checkPoints(args, self))
    return {};
  Points x = pointsOf(self);
  Scratch<double> result;
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = i + 1; j < x.rows; ++j)
      result.push_back(distance(x.row(i), x.row(j), p));
  return tensorOf(result, self.dtype(), {static_cast<int64_t>(result.size())});
}

/// (grad_output, self, p, pdist)
Value amongBackward(KernelArgs &args) {
  const Tensor &self = args.tensor(1);
  double p = args.number(2, 2);
  if (!checkPoints(args, self))
    return {};
  Points x = pointsOf(self);
  Scratch<double> grad = readAll(args.tensor(0)), distances = readAll(args.tensor(3)), result(x.values.size());
  auto pairs = static_cast<size_t>(x.rows * (x.rows - 1) / 2);
  if (!args.check(x.rows == 0 || (grad.size() == pairs && distances.size() == pairs), "got a gradient of other pairs"))
    return {};
  size_t at = 0;
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = i + 1; j < x.rows; ++j, ++at)
      for (int64_t k = 0; k < x.width; ++k) {
        auto a = static_cast<size_t>(i * x.width + k), b = static_cast<size_t>(j * x.width + k);
        double share = grad[at] * slope(x.values[a] - x.values[b], distances[at], p);
        result[a] += share;
        result[b] -= share;
      }
  return tensorOf(result, self.dtype(), self.sizes());
}

/// (self, other, p)
Value normOfDifference(KernelArgs &args) {
  Tensor difference = callForTensor(args, "aten.sub.Tensor", {args.at(0), args.at(1)});
  Value p = args.has(2) ? args.at(2) : Value::integer(2);
  return callKernel(args, "aten.linalg_vector_norm.default", {difference, p});
}

const Kernel distanceTable[] = {
    {"aten._cdist_backward.default", "grad_output,x1,x2,p,cdist", betweenBackward},
    {"aten._cdist_forward.default", "x1,x2,p,compute_mode", between},
    {"aten._pdist_backward.default", "grad_output,self,p,pdist", amongBackward},
    {"aten._pdist_forward.default", "self,p", among},
    {"aten.cdist.default", "x1,x2,p,compute_mode", between},
    {"aten.dist.default", "self,other,p", normOfDifference},
    {"aten.pdist.default", "self,p", among},
};

} // namespace

llvm::ArrayRef<Kernel> distanceKernels() { return distanceTable; }

} // namespace ccgraph::runtime
