#include "kernels/families.h"
#include "kernels/log_sums.h"
#include "kernels/pointwise.h"
#include "kernels/wrapping.h"

#include <cmath>
#include <limits>

namespace ccgraph::runtime {
namespace {

constexpr double sqrtHalf = 0.70710678118654752440;    // 1 / sqrt(2)
constexpr double twoOverSqrtPi = 1.12837916709551257;  // 2 / sqrt(pi)
constexpr double geluTanhScale = 0.797884560802865356; // sqrt(2 / pi)
constexpr double geluTanhCubic = 0.044715;
constexpr double pi = 3.14159265358979323846;
constexpr double ln2 = 0.69314718055994530942;

template <typename T>
T logistic(T x) {
  return 1.0 / (1.0 + std::exp(-x));
}
// <complex> has neither, and the plain difference is exact enough for numbers that are rounded to f32.
double expMinusOne(double x) { return std::expm1(x); }
Complex expMinusOne(Complex z) { return std::exp(z) - 1.0; }
double logOnePlus(double x) { return std::log1p(x); }
Complex logOnePlus(Complex z) { return std::log(1.0 + z); }
double powerOfTwo(double x) { return std::exp2(x); }
Complex powerOfTwo(Complex z) { return std::exp(z * ln2); }
double binaryLog(double x) { return std::log2(x); }
Complex binaryLog(Complex z) { return std::log(z) / ln2; }

// GELU and its derivatives: D. Hendrycks, K. Gimpel, "Gaussian Error Linear Units" (2016), exact and tanh forms.
double gelu(double x) { return x * 0.5 * (1 + std::erf(x * sqrtHalf)); }
double geluSlope(double x) {
  double cdf = 0.5 * (1 + std::erf(x * sqrtHalf));
  double pdf = std::exp(-0.5 * x * x) * twoOverSqrtPi * sqrtHalf * 0.5;
  return cdf + x * pdf;
}
double geluTanh(double x) { return 0.5 * x * (1 + std::tanh(geluTanhScale * (x + geluTanhCubic * x * x * x))); }
double geluTanhSlope(double x) {
  double t = std::tanh(geluTanhScale * (x + geluTanhCubic * x * x * x));
  double inner = geluTanhScale * (1 + 3 * geluTanhCubic * x * x);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner;
}

/// Winitzki's approximation, then Newton's steps on erf.
double inverseErf(double y) {
  if (!(std::fabs(y) < 1))
    return std::fabs(y) == 1 ? std::copysign(INFINITY, y) : NAN;
  constexpr double a = 0.147;
  double log = std::log1p(-y * y), half = 2 / (pi * a) + log / 2;
  double x = std::copysign(std::sqrt(std::sqrt(half * half - log / a) - half), y);
  for (int step = 0; step < 4; ++step)
    x -= (std::erf(x) - y) / (twoOverSqrtPi * std::exp(-x * x));
  return x;
}

/// The recurrence up to 10, then the asymptotic series; reflected below 0.
double digamma(double x) {
  if (x == 0)
    return std::copysign(INFINITY, -x);
  if (x < 0)
    return x == std::floor(x) ? NAN : digamma(1 - x) - pi / std::tan(pi * x);
  double shift = 0;
  for (; x < 10; ++x)
    shift -= 1 / x;
  double r = 1 / (x * x);
  return shift + std::log(x) - 0.5 / x -
         r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132)))));
}

/// 0 of NaN, as of 0.
double signOf(double x) { return (x > 0) - (x < 0); }

// Functions whose result is a float whatever they are given; complex numbers have them, too.
#define CCGRAPH_ANALYTIC(NAME, EXPRESSION)                                                                             \
  constexpr PointwiseOp NAME {                                                                                         \
    .real = [](const double *x) -> double { return EXPRESSION; },                                                      \
    .complex = [](const Complex *x) -> Complex { return EXPRESSION; }, .result = ResultType::Floating                  \
  }
CCGRAPH_ANALYTIC(sqrtOp, std::sqrt(x[0]));
CCGRAPH_ANALYTIC(rsqrtOp, 1.0 / std::sqrt(x[0]));
CCGRAPH_ANALYTIC(expOp, std::exp(x[0]));
CCGRAPH_ANALYTIC(logOp, std::log(x[0]));
CCGRAPH_ANALYTIC(log10Op, std::log10(x[0]));
CCGRAPH_ANALYTIC(sinOp, std::sin(x[0]));
CCGRAPH_ANALYTIC(cosOp, std::cos(x[0]));
CCGRAPH_ANALYTIC(tanOp, std::tan(x[0]));
CCGRAPH_ANALYTIC(atanOp, std::atan(x[0]));
CCGRAPH_ANALYTIC(tanhOp, std::tanh(x[0]));
CCGRAPH_ANALYTIC(sinhOp, std::sinh(x[0]));
CCGRAPH_ANALYTIC(coshOp, std::cosh(x[0]));
CCGRAPH_ANALYTIC(asinOp, std::asin(x[0]));
CCGRAPH_ANALYTIC(acosOp, std::acos(x[0]));
CCGRAPH_ANALYTIC(asinhOp, std::asinh(x[0]));
CCGRAPH_ANALYTIC(acoshOp, std::acosh(x[0]));
CCGRAPH_ANALYTIC(atanhOp, std::atanh(x[0]));
CCGRAPH_ANALYTIC(reciprocalOp, 1.0 / x[0]);
CCGRAPH_ANALYTIC(sigmoidOp, logistic(x[0]));
CCGRAPH_ANALYTIC(expm1Op, expMinusOne(x[0]));
CCGRAPH_ANALYTIC(exp2Op, powerOfTwo(x[0]));
CCGRAPH_ANALYTIC(log2Op, binaryLog(x[0]));
CCGRAPH_ANALYTIC(log1pOp, logOnePlus(x[0]));
CCGRAPH_ANALYTIC(sincOp, x[0] == 0.0 ? 1.0 : std::sin(pi * x[0]) / (pi * x[0]));
#undef CCGRAPH_ANALYTIC

// Functions of real numbers whose result is a float.
#define CCGRAPH_FLOATING(NAME, EXPRESSION)                                                                             \
  constexpr PointwiseOp NAME {                                                                                         \
    .real = [](const double *x) -> double { return EXPRESSION; }, .result = ResultType::Floating                       \
  }
CCGRAPH_FLOATING(deg2radOp, x[0] * (pi / 180));
CCGRAPH_FLOATING(rad2degOp, x[0] * (180 / pi));
CCGRAPH_FLOATING(erfOp, std::erf(x[0]));
CCGRAPH_FLOATING(erfcOp, std::erfc(x[0]));
CCGRAPH_FLOATING(erfinvOp, inverseErf(x[0]));
CCGRAPH_FLOATING(lgammaOp, std::lgamma(x[0]));
CCGRAPH_FLOATING(digammaOp, digamma(x[0]));
CCGRAPH_FLOATING(atan2Op, std::atan2(x[0], x[1]));
CCGRAPH_FLOATING(copysignOp, std::copysign(x[0], x[1]));
CCGRAPH_FLOATING(xlogyOp, std::isnan(x[1]) ? NAN : x[0] == 0 ? 0 : x[0] * std::log(x[1]));
#undef CCGRAPH_FLOATING

// Functions of floats only, in the dtype that they are given.
#define CCGRAPH_REAL(NAME, EXPRESSION)                                                                                 \
  constexpr PointwiseOp NAME {                                                                                         \
    .real = [](const double *x) -> double { return EXPRESSION; }                                                       \
  }
CCGRAPH_REAL(geluOp, gelu(x[0]));
CCGRAPH_REAL(geluTanhOp, geluTanh(x[0]));
CCGRAPH_REAL(geluGradOp, x[0] * geluSlope(x[1]));
CCGRAPH_REAL(geluTanhGradOp, x[0] * geluTanhSlope(x[1]));
CCGRAPH_REAL(siluGradOp, x[0] * logistic(x[1]) * (1 + x[1] * (1 - logistic(x[1]))));
CCGRAPH_REAL(sigmoidGradOp, x[0] * x[1] * (1 - x[1]));
CCGRAPH_REAL(tanhGradOp, x[0] * (1 - x[1] * x[1]));
CCGRAPH_REAL(softplusOp, x[0] * x[1] > x[2] ? x[0] : std::log1p(std::exp(x[0] * x[1])) / x[1]);
CCGRAPH_REAL(logSigmoidOp, std::min(x[0], 0.0) - std::log1p(std::exp(-std::fabs(x[0]))));
CCGRAPH_REAL(expNegAbsOp, std::exp(-std::fabs(x[0])));
CCGRAPH_REAL(hypotOp, std::hypot(x[0], x[1]));
CCGRAPH_REAL(logaddexpOp, addInLog(x[0], x[1]));
CCGRAPH_REAL(logaddexp2Op, addInLog(x[0] * ln2, x[1] * ln2) / ln2);
CCGRAPH_REAL(fracOp, x[0] - std::trunc(x[0]));
CCGRAPH_REAL(roundDecimalsOp, std::nearbyint(x[0] * std::pow(10, x[1])) / std::pow(10, x[1]));
#undef CCGRAPH_REAL

// Functions that keep integers.
#define CCGRAPH_KEEPING(NAME, EXPRESSION, WHOLE)                                                                       \
  constexpr PointwiseOp NAME {                                                                                         \
    .real = [](const double *x) -> double { return EXPRESSION; },                                                      \
    .integer = [](const int64_t *x) -> int64_t { return WHOLE; }                                                       \
  }
CCGRAPH_KEEPING(absOp, std::fabs(x[0]), x[0] < 0 ? wrapNeg(x[0]) : x[0]);
CCGRAPH_KEEPING(signOp, signOf(x[0]), (x[0] > 0) - (x[0] < 0));
CCGRAPH_KEEPING(floorOp, std::floor(x[0]), x[0]);
CCGRAPH_KEEPING(ceilOp, std::ceil(x[0]), x[0]);
CCGRAPH_KEEPING(truncOp, std::trunc(x[0]), x[0]);
CCGRAPH_KEEPING(roundOp, std::nearbyint(x[0]), x[0]);                  // ties to even, as torch.round
CCGRAPH_KEEPING(reluOp, (x[0] < 0) ? 0 : x[0], (x[0] > 0) ? x[0] : 0); // keeps -0 and NaN, as torch.relu
CCGRAPH_KEEPING(positiveOp, x[0], x[0]);
CCGRAPH_KEEPING(fmodOp, std::fmod(x[0], x[1]), x[1] == 0 ? 0 : x[1] == -1 ? 0 : x[0] % x[1]);
CCGRAPH_KEEPING(fmaxOp, std::fmax(x[0], x[1]), std::max(x[0], x[1]));
CCGRAPH_KEEPING(fminOp, std::fmin(x[0], x[1]), std::min(x[0], x[1]));
CCGRAPH_KEEPING(heavisideOp, x[0] == 0 ? x[1] : x[0] > 0, x[0] == 0 ? x[1] : x[0] > 0);
// Derivative of relu: grad where self > threshold.
CCGRAPH_KEEPING(thresholdGradOp, x[1] <= x[2] ? 0 : x[0], x[1] <= x[2] ? 0 : x[0]);
#undef CCGRAPH_KEEPING
constexpr PointwiseOp negOp{.real = [](const double *x) { return -x[0]; },
                            .integer = [](const int64_t *x) { return wrapNeg(x[0]); },
                            .complex = [](const Complex *x) { return -x[0]; }};
constexpr PointwiseOp siluOp{.real = [](const double *x) { return x[0] * logistic(x[0]); },
                             .complex = [](const Complex *x) { return x[0] * logistic(x[0]); }};
constexpr PointwiseOp squareOp{.real = [](const double *x) { return x[0] * x[0]; },
                               .integer = [](const int64_t *x) { return wrapMul(x[0], x[0]); },
                               .complex = [](const Complex *x) { return x[0] * x[0]; }};
/// z / |z|
constexpr PointwiseOp sgnOp{.real = signOp.real, .integer = signOp.integer, .complex = [](const Complex *x) {
                              return x[0] == 0.0 ? Complex() : x[0] / std::abs(x[0]);
                            }};
constexpr PointwiseOp conjOp{.real = [](const double *x) { return x[0]; },
                             .integer = [](const int64_t *x) { return x[0]; },
                             .complex = [](const Complex *x) { return std::conj(x[0]); }};
#define CCGRAPH_TEST(NAME, EXPRESSION, WHOLE)                                                                          \
  constexpr PointwiseOp NAME {                                                                                         \
    .real = [](const double *x) -> double { return EXPRESSION; },                                                      \
    .integer = []([[maybe_unused]] const int64_t *x) -> int64_t { return WHOLE; }, .result = ResultType::Truth         \
  }
CCGRAPH_TEST(isposinfOp, std::isinf(x[0]) && x[0] > 0, 0);
CCGRAPH_TEST(isneginfOp, std::isinf(x[0]) && x[0] < 0, 0);
CCGRAPH_TEST(signbitOp, std::signbit(x[0]), x[0] < 0);
#undef CCGRAPH_TEST
// For complex numbers, the property of one part, or of both.
#define CCGRAPH_PARTS_TEST(NAME, TEST, OF_PARTS, WHOLE)                                                                \
  constexpr PointwiseOp NAME {                                                                                         \
    .real = [](const double *x) -> double { return TEST(x[0]); },                                                      \
    .integer = []([[maybe_unused]] const int64_t *x) -> int64_t { return WHOLE; },                                     \
    .complex = [](const Complex *x) -> Complex { return TEST(x[0].real()) OF_PARTS TEST(x[0].imag()); },               \
    .result = ResultType::Truth                                                                                        \
  }
CCGRAPH_PARTS_TEST(isnanOp, std::isnan, ||, 0);
CCGRAPH_PARTS_TEST(isinfOp, std::isinf, ||, 0);
CCGRAPH_PARTS_TEST(isfiniteOp, std::isfinite, &&, 1);
#undef CCGRAPH_PARTS_TEST

/// Returns the operator of the tanh form where argument `index`, "approximate", selects it.
const PointwiseOp &geluForm(KernelArgs &args, unsigned index, const PointwiseOp &exact, const PointwiseOp &tanh) {
  llvm::StringRef form = args.text(index, "none");
  args.check(form == "none" || form == "tanh", "got approximate = '" + form + "', expected 'none' or 'tanh'");
  return form == "tanh" ? tanh : exact;
}

Value computeGelu(KernelArgs &args) {
  const PointwiseOp &op = geluForm(args, 1, geluOp, geluTanhOp);
  return pointwise(args, operandsOf(args, 1), op);
}

Value computeGeluBackward(KernelArgs &args) {
  const PointwiseOp &op = geluForm(args, 2, geluGradOp, geluTanhGradOp);
  return pointwise(args, operandsOf(args, 2), op);
}

/// (output, buffer): PyTorch's CPU kernel keeps exp(-|x|) for the derivative.
Value computeLogSigmoid(KernelArgs &args) {
  Operands operands = operandsOf(args, 1);
  operands[0].tensor = operands[0].tensor.contiguous();
  Tensor output = pointwise(args, operands, logSigmoidOp);
  return Value::tensors({output, pointwise(args, operands, expNegAbsOp)});
}

Value itself(KernelArgs &args) { return args.tensor(0); }

/// (self, other, out): `out` takes the result's sizes.
Value computeAtan2Into(KernelArgs &args) {
  Tensor result = pointwise(args, operandsOf(args, 2), atan2Op);
  const Tensor &out = args.tensor(2);
  if (args.failed() || !args.check(canStore(result.dtype(), out.dtype()), "got out " + typeOf(out)))
    return {};
  if (out.sizes() != result.sizes())
    out.resize(result.sizes(), result.strides());
  out.copyFrom(result);
  return out;
}

/// True becomes the integer 1 when it is multiplied.
Value computeSquare(KernelArgs &args) {
  Operand self = args.operand(0);
  if (!args.failed() && self.tensor.dtype() == DType::Bool)
    self.tensor = toDType(self.tensor, DType::I64);
  return pointwise(args, self, squareOp);
}

Value computeSoftplus(KernelArgs &args) {
  Operands operands{args.operand(0), args.operand(1, 1), args.operand(2, 20)};
  return pointwise(args, operands, softplusOp);
}

/// The largest finite number of a floating dtype: the one below the power of two at which it overflows.
double greatestOf(DType dtype) {
  if (dtype == DType::F64)
    return std::numeric_limits<double>::max();
  if (dtype == DType::F32)
    return std::numeric_limits<float>::max();
  return dtype == DType::F16 ? 65504.0 : std::ldexp(255, 120);
}

/// |x| of a complex number is real; of others it keeps the dtype.
Value computeAbs(KernelArgs &args) {
  Operand x = args.operand(0);
  if (args.failed() || !isComplex(x.tensor.dtype()))
    return pointwise(args, x, absOp);
  constexpr static PointwiseOp magnitude{.complex = [](const Complex *z) { return Complex(std::abs(z[0])); }};
  return toDType(pointwise(args, x, magnitude), realTypeOf(x.tensor.dtype()));
}

/// NaN and the infinities become numbers: 0 and the dtype's own limits where they are left out.
Value computeNanToNum(KernelArgs &args) {
  Operand self = args.operand(0);
  DType dtype = self.tensor.dtype();
  double limit = args.failed() || !isFloat(dtype) ? 0 : greatestOf(dtype);
  double numbers[] = {args.number(1, 0), args.number(2, limit), args.number(3, -limit)};
  if (args.failed() || !isFloat(dtype))
    return pointwise(args, self, positiveOp);
  constexpr static PointwiseOp choose{
      .real =
          [](const double *x) {
            return std::isnan(x[0]) ? x[1] : !std::isinf(x[0]) ? x[0] : x[0] > 0 ? x[2] : x[3];
          },
      .promoting = 1};
  Operands operands{self};
  for (double number : numbers)
    operands.push_back(numberOperand(number));
  return pointwise(args, operands, choose);
}

const Kernel mathTable[] = {
    // Our tensors carry no conjugate bit, so the lazy view of PyTorch is a copy with equal values.
    {"aten._conj.default", "self", pointwiseKernel<conjOp, 1>},
    {"aten._conj_physical.default", "self", pointwiseKernel<conjOp, 1>},
    {"aten.abs.default", "self", computeAbs},
    {"aten.acos.default", "self", pointwiseKernel<acosOp, 1>},
    {"aten.acosh.default", "self", pointwiseKernel<acoshOp, 1>},
    {"aten.asin.default", "self", pointwiseKernel<asinOp, 1>},
    {"aten.asinh.default", "self", pointwiseKernel<asinhOp, 1>},
    {"aten.atan.default", "self", pointwiseKernel<atanOp, 1>},
    {"aten.atan2.default", "self,other", pointwiseKernel<atan2Op, 2>},
    {"aten.atan2.out", "self,other,out", computeAtan2Into},
    {"aten.atanh.default", "self", pointwiseKernel<atanhOp, 1>},
    {"aten.ceil.default", "self", pointwiseKernel<ceilOp, 1>},
    {"aten.copysign.Scalar", "self,other", pointwiseKernel<copysignOp, 2>},
    {"aten.copysign.Tensor", "self,other", pointwiseKernel<copysignOp, 2>},
    {"aten.cos.default", "self", pointwiseKernel<cosOp, 1>},
    {"aten.cosh.default", "self", pointwiseKernel<coshOp, 1>},
    {"aten.deg2rad.default", "self", pointwiseKernel<deg2radOp, 1>},
    {"aten.digamma.default", "self", pointwiseKernel<digammaOp, 1>},
    {"aten.erf.default", "self", pointwiseKernel<erfOp, 1>},
    {"aten.erfc.default", "self", pointwiseKernel<erfcOp, 1>},
    {"aten.erfinv.default", "self", pointwiseKernel<erfinvOp, 1>},
    {"aten.exp.default", "self", pointwiseKernel<expOp, 1>},
    {"aten.exp2.default", "self", pointwiseKernel<exp2Op, 1>},
    {"aten.exp_.default", "self", pointwiseInPlace<expOp, 1>},
    {"aten.expm1.default", "self", pointwiseKernel<expm1Op, 1>},
    {"aten.floor.default", "self", pointwiseKernel<floorOp, 1>},
    {"aten.fmax.default", "self,other", pointwiseKernel<fmaxOp, 2>},
    {"aten.fmin.default", "self,other", pointwiseKernel<fminOp, 2>},
    {"aten.fmod.Scalar", "self,other", pointwiseKernel<fmodOp, 2>},
    {"aten.fmod.Tensor", "self,other", pointwiseKernel<fmodOp, 2>},
    {"aten.frac.default", "self", pointwiseKernel<fracOp, 1>},
    {"aten.gelu.default", "self,approximate", computeGelu},
    {"aten.gelu_backward.default", "grad_output,self,approximate", computeGeluBackward},
    {"aten.heaviside.default", "self,values", pointwiseKernel<heavisideOp, 2>},
    {"aten.hypot.default", "self,other", pointwiseKernel<hypotOp, 2>},
    {"aten.isfinite.default", "self", pointwiseKernel<isfiniteOp, 1>},
    {"aten.isinf.default", "self", pointwiseKernel<isinfOp, 1>},
    {"aten.isnan.default", "self", pointwiseKernel<isnanOp, 1>},
    {"aten.isneginf.default", "self", pointwiseKernel<isneginfOp, 1>},
    {"aten.isposinf.default", "self", pointwiseKernel<isposinfOp, 1>},
    {"aten.lgamma.default", "self", pointwiseKernel<lgammaOp, 1>},
    {"aten.log.default", "self", pointwiseKernel<logOp, 1>},
    {"aten.log10.default", "self", pointwiseKernel<log10Op, 1>},
    {"aten.log1p.default", "self", pointwiseKernel<log1pOp, 1>},
    {"aten.log2.default", "self", pointwiseKernel<log2Op, 1>},
    {"aten.log_sigmoid_forward.default", "self", computeLogSigmoid},
    {"aten.logaddexp.default", "self,other", pointwiseKernel<logaddexpOp, 2>},
    {"aten.logaddexp2.default", "self,other", pointwiseKernel<logaddexp2Op, 2>},
    {"aten.nan_to_num.default", "self,nan,posinf,neginf", computeNanToNum},
    {"aten.neg.default", "self", pointwiseKernel<negOp, 1>},
    {"aten.neg_.default", "self", pointwiseInPlace<negOp, 1>},
    {"aten.positive.default", "self", itself},
    {"aten.rad2deg.default", "self", pointwiseKernel<rad2degOp, 1>},
    {"aten.reciprocal.default", "self", pointwiseKernel<reciprocalOp, 1>},
    {"aten.relu.default", "self", pointwiseKernel<reluOp, 1>},
    {"aten.relu_.default", "self", pointwiseInPlace<reluOp, 1>},
    {"aten.round.decimals", "self,decimals", pointwiseKernel<roundDecimalsOp, 2>},
    {"aten.round.default", "self", pointwiseKernel<roundOp, 1>},
    {"aten.rsqrt.default", "self", pointwiseKernel<rsqrtOp, 1>},
    {"aten.sgn.default", "self", pointwiseKernel<sgnOp, 1>},
    {"aten.sigmoid.default", "self", pointwiseKernel<sigmoidOp, 1>},
    {"aten.sigmoid_backward.default", "grad_output,output", pointwiseKernel<sigmoidGradOp, 2>},
    {"aten.sign.default", "self", pointwiseKernel<signOp, 1>},
    {"aten.signbit.default", "self", pointwiseKernel<signbitOp, 1>},
    {"aten.silu.default", "self", pointwiseKernel<siluOp, 1>},
    {"aten.silu_backward.default", "grad_output,self", pointwiseKernel<siluGradOp, 2>},
    {"aten.sin.default", "self", pointwiseKernel<sinOp, 1>},
    {"aten.sinc.default", "self", pointwiseKernel<sincOp, 1>},
    {"aten.sinh.default", "self", pointwiseKernel<sinhOp, 1>},
    {"aten.softplus.default", "self,beta,threshold", computeSoftplus},
    {"aten.sqrt.default", "self", pointwiseKernel<sqrtOp, 1>},
    {"aten.sqrt_.default", "self", pointwiseInPlace<sqrtOp, 1>},
    {"aten.square.default", "self", computeSquare},
    {"aten.tan.default", "self", pointwiseKernel<tanOp, 1>},
    {"aten.tanh.default", "self", pointwiseKernel<tanhOp, 1>},
    {"aten.tanh_backward.default", "grad_output,output", pointwiseKernel<tanhGradOp, 2>},
    {"aten.threshold_backward.default", "grad_output,self,threshold", pointwiseKernel<thresholdGradOp, 3>},
    {"aten.trunc.default", "self", pointwiseKernel<truncOp, 1>},
    {"aten.xlogy.Scalar_Other", "self,other", pointwiseKernel<xlogyOp, 2>},
    {"aten.xlogy.Scalar_Self", "self,other", pointwiseKernel<xlogyOp, 2>},
    {"aten.xlogy.Tensor", "self,other", pointwiseKernel<xlogyOp, 2>},
};

} // namespace

llvm::ArrayRef<Kernel> mathKernels() { return mathTable; }

} // namespace ccgraph::runtime
