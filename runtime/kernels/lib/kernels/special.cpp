#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/pointwise.h"

#include <cmath>
#include <numeric>

namespace ccgraph::runtime {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Modified Bessel functions of the first kind, of order 0 (even) and 1 (odd). PyTorch's series gives NaN at infinity.
double besselI0(double x) { return std::isfinite(x) ? std::cyl_bessel_i(0, std::fabs(x)) : NAN; }
double besselI1(double x) { return std::isfinite(x) ? std::copysign(std::cyl_bessel_i(1, std::fabs(x)), x) : NAN; }
/// A Bessel function times exp(-|x|).
double scaled(double bessel, double x) { return std::isinf(x) ? 0 : bessel * std::exp(-std::fabs(x)); }

/// sum 1 / (k + q)^s over k >= 0: the first terms, then Euler and Maclaurin's formula for the rest.
double hurwitzZeta(double s, double q) {
  if (s < 1)
    return NAN;
  if (s == 1)
    return INFINITY;
  if (q <= 0 && (q == std::floor(q) || s != std::floor(s)))
    return q == std::floor(q) ? INFINITY : NAN;
  if (std::isinf(q))
    return NAN;
  double sum = 0;
  int first = 0;
  for (; first < 10 || (q + first < 10 && first < 1000000); ++first) {
    double term = std::pow(q + first, -s);
    sum += term;
    if (std::fabs(term) < std::fabs(sum) * 1e-16)
      return sum;
  }
  double at = q + first, term = s * std::pow(at, -s - 1);
  sum += std::pow(at, 1 - s) / (s - 1) + 0.5 * std::pow(at, -s);
  // B(2k) / (2k)!
  constexpr double bernoulli[] = {1.0 / 12,
                                  -1.0 / 720,
                                  1.0 / 30240,
                                  -1.0 / 1209600,
                                  1.0 / 47900160,
                                  -691.0 / 1307674368e3,
                                  1.0 / 74724249600.0,
                                  -3617.0 / 10670622842880000.0};
  int order = 0;
  for (double b : bernoulli) {
    sum += b * term;
    term *= (s + order + 1) * (s + order + 2) / (at * at);
    order += 2;
  }
  return sum;
}

double polygamma(double n, double x) {
  return (static_cast<int64_t>(n) % 2 ? 1 : -1) * std::tgamma(n + 1) * hurwitzZeta(n + 1, x);
}

double entropy(double x) { return x > 0 ? -x * std::log(x) : x == 0 ? 0 : std::isnan(x) ? x : -INFINITY; }

/// log of the normal distribution's cumulative function; its asymptotic series far below 0.
double logNormalCdf(double x) {
  double t = x / std::sqrt(2.0);
  if (x > -20)
    return x < 1 ? std::log(std::erfc(-t) / 2) : std::log1p(-std::erfc(t) / 2);
  double square = x * x, term = 1, sum = 1;
  for (int k = 1; k < 10; ++k)
    sum += term *= -(2 * k - 1) / square;
  return std::isinf(x) ? x : -0.5 * square - std::log(-x) - 0.5 * std::log(2 * pi) + std::log(sum);
}

/// The share of the gamma function's integral up to x: the series below a + 1, else one minus the continued fraction.
double incompleteGamma(double a, double x, bool upper) {
  if (a < 0 || x < 0 || (a == 0 && !(x > 0)) || (std::isinf(a) && std::isinf(x)))
    return NAN;
  if (a == 0 || x == 0)
    return (a == 0) != upper;
  if (std::isinf(a) || std::isinf(x))
    return std::isinf(x) != upper;
  double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int k = 1; k < 10000 && std::fabs(term) > std::fabs(sum) * 1e-17; ++k)
      sum += term *= x / (a + k);
    return upper ? 1 - sum * front : sum * front;
  }
  // W. Lentz's evaluation of the fraction, 1976.
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 10000; ++k) {
    double numerator = -k * (k - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    h *= c * d;
    if (std::fabs(c * d - 1) < 1e-16)
      break;
  }
  return upper ? front * h : 1 - front * h;
}

double multiplyLog1p(double x, double y) { return std::isnan(y) ? y : x == 0 ? 0 : x * std::log1p(y); }

#define CCGRAPH_SPECIAL(NAME, EXPRESSION)                                                                              \
  constexpr PointwiseOp NAME{.real = [](const double *x) -> double { return EXPRESSION; },                             \
                             .result = ResultType::Floating};
CCGRAPH_SPECIAL(i0Op, besselI0(x[0]))
CCGRAPH_SPECIAL(i1Op, besselI1(x[0]))
CCGRAPH_SPECIAL(i0eOp, scaled(besselI0(x[0]), x[0]))
CCGRAPH_SPECIAL(i1eOp, scaled(besselI1(x[0]), x[0]))
CCGRAPH_SPECIAL(entropyOp, entropy(x[0]))
CCGRAPH_SPECIAL(logNormalCdfOp, logNormalCdf(x[0]))
CCGRAPH_SPECIAL(xlog1pyOp, multiplyLog1p(x[0], x[1]))
CCGRAPH_SPECIAL(zetaOp, hurwitzZeta(x[0], x[1]))
#undef CCGRAPH_SPECIAL
constexpr PointwiseOp polygammaOp{
    .real = [](const double *x) { return polygamma(x[1], x[0]); }, .result = ResultType::Floating, .promoting = 1};
constexpr PointwiseOp lowerGammaOp{.real = [](const double *x) { return incompleteGamma(x[0], x[1], false); }};
constexpr PointwiseOp upperGammaOp{.real = [](const double *x) { return incompleteGamma(x[0], x[1], true); }};
constexpr PointwiseOp gcdOp{.integer = [](const int64_t *x) -> int64_t { return std::gcd(x[0], x[1]); }};
constexpr PointwiseOp lcmOp{.integer = [](const int64_t *x) -> int64_t {
  int64_t divisor = std::gcd(x[0], x[1]);
  return divisor == 0 ? 0 : std::abs(x[0] / divisor * x[1]);
}};

/// (n, self)
Value polygammaOf(KernelArgs &args) {
  const Tensor &self = args.tensor(1);
  int64_t order = args.integer(0);
  args.check(order >= 0, "got order " + llvm::Twine(order));
  if (order == 0)
    return callKernel(args, "aten.digamma.default", {self});
  return pointwise(args, {Operand{self}, integerOperand(order)}, polygammaOp);
}

/// The next number on the way from x to y, where numbers have so many bits after the first one and this least exponent.
template <int bits, int least>
double nextNumber(double x, double y) {
  if (std::isnan(x) || std::isnan(y) || x == y)
    return std::isnan(x) ? x : y;
  double tiny = std::ldexp(1, least - bits), greatest = std::ldexp(2 - std::ldexp(1, -bits), 1 - least);
  if (x == 0)
    return std::copysign(tiny, y);
  if (std::isinf(x))
    return std::copysign(greatest, x);
  bool grows = (y > x) == (x > 0);
  int exponent = std::max(std::ilogb(x), least);
  bool first = std::fabs(x) == std::ldexp(1, exponent) && exponent > least;
  double step = std::ldexp(1, exponent - bits - (!grows && first));
  return x + ((y > x) ? step : -step);
}

/// The next number of the dtype on the way from one to the other.
Value nextAfter(KernelArgs &args) {
  constexpr static PointwiseOp f64{.real = [](const double *x) { return std::nextafter(x[0], x[1]); }};
  constexpr static PointwiseOp f32{.real = [](const double *x) { return nextNumber<23, -126>(x[0], x[1]); }};
  constexpr static PointwiseOp bf16{.real = [](const double *x) { return nextNumber<7, -126>(x[0], x[1]); }};
  constexpr static PointwiseOp f16{.real = [](const double *x) { return nextNumber<10, -14>(x[0], x[1]); }};
  Operands operands = operandsOf(args, 2);
  DType dtype = args.failed() ? DType::F32 : resultType(operands);
  return pointwise(args, operands,
                   dtype == DType::F64    ? f64
                   : dtype == DType::BF16 ? bf16
                   : dtype == DType::F16  ? f16
                                          : f32);
}

/// 0 and pi of real numbers; of complex ones, the argument.
Value angle(KernelArgs &args) {
  constexpr static PointwiseOp ofReal{
      .real = [](const double *x) { return std::isnan(x[0]) ? x[0]
                                           : x[0] < 0       ? pi
                                                            : 0; },
      .result = ResultType::Floating};
  constexpr static PointwiseOp ofComplex{.complex = [](const Complex *x) { return Complex(std::arg(x[0])); }};
  const Tensor &self = args.tensor(0);
  if (args.failed() || !isComplex(self.dtype()))
    return pointwise(args, Operand{self}, ofReal);
  // Because PyTorch lays it out anew.
  Tensor result = toDType(pointwise(args, Operand{self}, ofComplex), realTypeOf(self.dtype()));
  return args.failed() ? Value() : Value(result.contiguous());
}

/// A complex number of two real ones: the combination of the first and of the second.
template <const PointwiseOp &op>
Value combined(KernelArgs &args) {
  const Tensor &a = args.tensor(0), &b = args.tensor(1);
  bool fits = a.dtype() == b.dtype() && (a.dtype() == DType::F32 || a.dtype() == DType::F64);
  if (args.failed() || !args.check(fits, "got " + typeOf(a) + " and " + typeOf(b) + ", expected f32 or f64"))
    return {};
  DType dtype = a.dtype() == DType::F64 ? DType::C128 : DType::C64;
  return pointwise(args, {Operand{toDType(a, dtype)}, Operand{toDType(b, dtype)}}, op);
}
constexpr PointwiseOp cartesianOp{.complex = [](const Complex *x) { return Complex(x[0].real(), x[1].real()); }};
constexpr PointwiseOp polarOp{.complex = [](const Complex *x) {
  return Complex(x[0].real() * std::cos(x[1].real()), x[0].real() * std::sin(x[1].real()));
}};

Value itselfOrConjugate(KernelArgs &args) {
  if (!args.failed() && !isComplex(args.tensor(0).dtype()))
    return args.tensor(0);
  return callKernel(args, "aten._conj_physical.default", {args.at(0)});
}

const Kernel specialTable[] = {
    {"aten.angle.default", "self", angle},
    {"aten.complex.default", "real,imag", combined<cartesianOp>},
    {"aten.conj_physical.default", "self", itselfOrConjugate},
    {"aten.gcd.default", "self,other", pointwiseKernel<gcdOp, 2>},
    {"aten.i0.default", "self", pointwiseKernel<i0Op, 1>},
    {"aten.igamma.default", "self,other", pointwiseKernel<lowerGammaOp, 2>},
    {"aten.igammac.default", "self,other", pointwiseKernel<upperGammaOp, 2>},
    {"aten.lcm.default", "self,other", pointwiseKernel<lcmOp, 2>},
    {"aten.nextafter.default", "self,other", nextAfter},
    {"aten.polar.default", "abs,angle", combined<polarOp>},
    {"aten.polygamma.default", "n,self", polygammaOf},
    {"aten.special_entr.default", "self", pointwiseKernel<entropyOp, 1>},
    {"aten.special_i0e.default", "self", pointwiseKernel<i0eOp, 1>},
    {"aten.special_i1.default", "self", pointwiseKernel<i1Op, 1>},
    {"aten.special_i1e.default", "self", pointwiseKernel<i1eOp, 1>},
    {"aten.special_log_ndtr.default", "self", pointwiseKernel<logNormalCdfOp, 1>},
    {"aten.special_xlog1py.default", "self,other", pointwiseKernel<xlog1pyOp, 2>},
    {"aten.special_xlog1py.other_scalar", "self,other", pointwiseKernel<xlog1pyOp, 2>},
    {"aten.special_xlog1py.self_scalar", "self,other", pointwiseKernel<xlog1pyOp, 2>},
    {"aten.special_zeta.default", "self,other", pointwiseKernel<zetaOp, 2>},
    {"aten.special_zeta.other_scalar", "self,other", pointwiseKernel<zetaOp, 2>},
    {"aten.special_zeta.self_scalar", "self,other", pointwiseKernel<zetaOp, 2>},
};

} // namespace

llvm::ArrayRef<Kernel> specialKernels() { return specialTable; }

} // namespace ccgraph::runtime
