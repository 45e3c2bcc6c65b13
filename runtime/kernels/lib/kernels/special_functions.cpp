#include "kernels/calls.h"
#include "kernels/families.h"
#include "kernels/pointwise.h"

#include <array>
#include <cmath>
#include <limits>

// Formulas: M. Abramowitz, I. Stegun (ed.), "Handbook of Mathematical Functions" (1964), by chapter and number.
namespace ccgraph::runtime {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double sqrtHalf = 0.70710678118654752440;

// --- Modified Bessel functions --------------------------------------------------------------------------------
/// exp(-|x|) I_n(x) of order 0 or 1: 9.6.10 for small |x|, whose terms are all positive, 9.7.1 for large.
double scaledBesselI(int order, double x) {
  double a = std::fabs(x), sum = 1, term = 1;
  if (std::isinf(a))
    return 0;
  bool small = a < 30;
  for (int k = 1; k < (small ? 200 : 20); ++k) {
    double odd = 2 * k - 1;
    term *= small ? a * a / 4 / k / (k + order) : -(4.0 * order * order - odd * odd) / (k * 8 * a);
    sum += term;
  }
  double result = small ? std::exp(-a) * std::pow(a / 2, order) * sum : sum / std::sqrt(2 * pi * a);
  return order == 1 && x < 0 ? -result : result;
}

// --- Polygamma ---------------------------------------------------------------------------------------------------
/// Bernoulli's numbers B_2k by (2k)!.
constexpr std::array<double, 10> bernoulliTerms = {1.0 / 12,
                                                   -1.0 / 720,
                                                   1.0 / 30240,
                                                   -1.0 / 1209600,
                                                   1.0 / 47900160,
                                                   -691.0 / 1307674368000,
                                                   1.0 / 74724249600,
                                                   -3617.0 / 10670622842880000,
                                                   43867.0 / 5109094217170944000,
                                                   -174611.0 / 802857662698291200000.0};

/// The sum of (q + n)^-s for all n >= 0, by Euler and Maclaurin (23.1.30) after the first terms.
double hurwitzZeta(double s, double q) {
  if (q <= 0 && q == std::floor(q))
    return INFINITY;
  double sum = 0, a = q;
  for (int n = 0; n < 10 || a < 10; ++n, ++a) {
    const double term = std::pow(a, -s);
    sum += term;
    if (std::fabs(term) < std::numeric_limits<double>::epsilon() / 2 * sum)
      return sum;
  }
  double power = std::pow(a, -s), factor = s * power / a;
  sum += a * power / (s - 1) + power / 2;
  for (size_t k = 0; k < bernoulliTerms.size(); ++k) {
    sum += bernoulliTerms[k] * factor;
    auto twice = static_cast<double>(2 * k);
    factor *= (s + twice + 1) * (s + twice + 2) / (a * a);
  }
  return sum;
}

/// 6.4.10; the first derivative is reflected below 1/2 (6.4.7), as PyTorch does for it alone.
double polygamma(double order, double x) {
  if (order == 1 && x < 0.5) {
    double sine = std::sin(pi * x);
    return pi * pi / (sine * sine) - hurwitzZeta(2, 1 - x);
  }
  double sign = std::fmod(order, 2) == 0 ? -1 : 1;
  return sign * std::tgamma(order + 1) * hurwitzZeta(order + 1, x);
}

double entropy(double x) { return std::isnan(x) ? x : x > 0 ? -x * std::log(x) : x == 0 ? 0 : -INFINITY; }
double logit(double x) { return std::log(x / (1 - x)); }

#define CCGRAPH_SPECIAL(NAME, EXPRESSION)                                                                              \
  constexpr PointwiseOp NAME {                                                                                         \
    .real = [](const double *x) -> double { return EXPRESSION; }, .result = ResultType::Floating                       \
  }
CCGRAPH_SPECIAL(i0Op, std::exp(std::fabs(x[0])) * scaledBesselI(0, x[0]));
CCGRAPH_SPECIAL(i0eOp, scaledBesselI(0, x[0]));
CCGRAPH_SPECIAL(i1Op, std::exp(std::fabs(x[0])) * scaledBesselI(1, x[0]));
CCGRAPH_SPECIAL(i1eOp, scaledBesselI(1, x[0]));
CCGRAPH_SPECIAL(entrOp, entropy(x[0]));
CCGRAPH_SPECIAL(ndtrOp, 0.5 * std::erfc(-x[0] * sqrtHalf));
CCGRAPH_SPECIAL(xlog1pyOp, std::isnan(x[1]) ? NAN : x[0] == 0 ? 0 : x[0] * std::log1p(x[1]));
CCGRAPH_SPECIAL(zetaOp, x[0] == 1 ? INFINITY : x[0] < 1 ? NAN : hurwitzZeta(x[0], x[1]));
CCGRAPH_SPECIAL(logitOp, logit(x[0]));
#undef CCGRAPH_SPECIAL
constexpr PointwiseOp polygammaOp{
    .real = [](const double *x) { return polygamma(x[1], x[0]); }, .result = ResultType::Floating, .promoting = 1};
constexpr PointwiseOp clippedLogitOp{.real =
                                         [](const double *x) {
                                           return logit(x[0] < x[1] ? x[1] : x[0] > 1 - x[1] ? 1 - x[1] : x[0]);
                                         },
                                     .result = ResultType::Floating,
                                     .promoting = 1};
/// x[0] gradient, x[1] self, x[2] eps; without eps, -1.
constexpr PointwiseOp logitGradOp{.real =
                                      [](const double *x) {
                                        double low = std::max(x[2], 0.0);
                                        bool outside = x[1] < low || x[1] > 1 - low;
                                        return !outside ? x[0] / (x[1] * (1 - x[1])) : x[2] < 0 ? NAN : 0;
                                      },
                                  .promoting = 2};

/// (n, self)
Value computePolygamma(KernelArgs &args) {
  int64_t order = args.integer(0);
  args.check(order >= 0, "got n = " + llvm::Twine(order) + ", expected none negative");
  Operand self = args.operand(1);
  if (order == 0)
    return callKernel(args, "aten.digamma.default", {args.at(1)});
  return pointwise(args, {self, integerOperand(order)}, polygammaOp);
}

/// (self, eps)
Value computeLogit(KernelArgs &args) {
  Operand self = args.operand(0);
  return args.has(1) ? pointwise(args, {self, args.operand(1)}, clippedLogitOp) : pointwise(args, self, logitOp);
}
/// (grad_output, self, eps)
Value computeLogitBackward(KernelArgs &args) {
  Operands operands = operandsOf(args, 2);
  operands.push_back(numberOperand(args.number(2, -1)));
  return pointwise(args, operands, logitGradOp);
}

const Kernel specialTable[] = {
    {"aten.i0.default", "self", pointwiseKernel<i0Op, 1>},
    {"aten.logit.default", "self,eps", computeLogit},
    {"aten.logit_backward.default", "grad_output,self,eps", computeLogitBackward},
    {"aten.polygamma.default", "n,self", computePolygamma},
    {"aten.special_entr.default", "self", pointwiseKernel<entrOp, 1>},
    {"aten.special_i0e.default", "self", pointwiseKernel<i0eOp, 1>},
    {"aten.special_i1.default", "self", pointwiseKernel<i1Op, 1>},
    {"aten.special_i1e.default", "self", pointwiseKernel<i1eOp, 1>},
    {"aten.special_ndtr.default", "self", pointwiseKernel<ndtrOp, 1>},
    {"aten.special_xlog1py.default", "self,other", pointwiseKernel<xlog1pyOp, 2>},
    {"aten.special_xlog1py.other_scalar", "self,other", pointwiseKernel<xlog1pyOp, 2>},
    {"aten.special_xlog1py.self_scalar", "self,other", pointwiseKernel<xlog1pyOp, 2>},
    {"aten.special_zeta.default", "self,other", pointwiseKernel<zetaOp, 2>},
    {"aten.special_zeta.other_scalar", "self,other", pointwiseKernel<zetaOp, 2>},
    {"aten.special_zeta.self_scalar", "self,other", pointwiseKernel<zetaOp, 2>},
};

} // namespace

llvm::ArrayRef<Kernel> specialFunctionKernels() { return specialTable; }

} // namespace ccgraph::runtime
