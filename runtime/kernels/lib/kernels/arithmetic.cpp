#include "kernels/families.h"
#include "kernels/pointwise.h"
#include "kernels/wrapping.h"

#include <cmath>
#include <limits>

namespace ccgraph::runtime {
namespace {

int64_t wrapPow(int64_t base, int64_t exponent) {
  if (exponent < 0) // 1/base truncates to 0 except for 1 and -1.
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  int64_t result = 1;
  for (; exponent; exponent >>= 1, base = wrapMul(base, base))
    if (exponent & 1)
      result = wrapMul(result, base);
  return result;
}

/// Rounds to minus infinity: -7 by 2 gives -4 (torch.floor_divide). Division by 0 gives 0 here: a kernel must not trap.
/// PyTorch rejects it on the CPU and leaves it undefined on a GPU (torch.remainder). Division by -1 is a negation,
/// because INT64_MIN / -1 does not fit and traps on x86.
int64_t floorDiv(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return wrapNeg(a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// Python's a // b on floats as PyTorch rounds it (c10::div_floor_floating).
double floorDiv(double a, double b) {
  if (b == 0)
    return a / b;
  double mod = std::fmod(a, b);
  double div = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0))
    div -= 1;
  if (div == 0)
    return std::copysign(0.0, a / b);
  double floor = std::floor(div);
  return div - floor > 0.5 ? floor + 1 : floor;
}

/// Has the sign of the divisor, where C's fmod has that of the dividend: remainder(-3, 2) is 1 (torch.remainder).
double remainder(double a, double b) {
  double mod = std::fmod(a, b);
  return mod != 0 && (b < 0) != (mod < 0) ? mod + b : mod;
}

/// Keeps NaN, as torch.maximum does and fmax does not.
double maximum(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double minimum(double a, double b) { return std::isnan(a) || a < b ? a : b; }

// --- a + alpha * b and its kin: operand 2 is alpha -----------------------------------------------
constexpr PointwiseOp addOp{.real = [](const double *x) { return x[0] + x[2] * x[1]; },
                            .integer = [](const int64_t *x) { return wrapAdd(x[0], wrapMul(x[2], x[1])); },
                            .complex = [](const Complex *x) { return x[0] + x[2] * x[1]; },
                            .promoting = 2,
                            .scalarsInF32 = true};
constexpr PointwiseOp subOp{.real = [](const double *x) { return x[0] - x[2] * x[1]; },
                            .integer = [](const int64_t *x) { return wrapAdd(x[0], wrapNeg(wrapMul(x[2], x[1]))); },
                            .complex = [](const Complex *x) { return x[0] - x[2] * x[1]; },
                            .promoting = 2,
                            .scalarsInF32 = true};
constexpr PointwiseOp rsubOp{.real = [](const double *x) { return x[1] - x[2] * x[0]; },
                             .integer = [](const int64_t *x) { return wrapAdd(x[1], wrapNeg(wrapMul(x[2], x[0]))); },
                             .complex = [](const Complex *x) { return x[1] - x[2] * x[0]; },
                             .promoting = 2,
                             .scalarsInF32 = true};

constexpr PointwiseOp mulOp{.real = [](const double *x) { return x[0] * x[1]; },
                            .integer = [](const int64_t *x) { return wrapMul(x[0], x[1]); },
                            .complex = [](const Complex *x) { return x[0] * x[1]; },
                            .scalarsInF32 = true};
constexpr PointwiseOp divOp{.real = [](const double *x) { return x[0] / x[1]; },
                            .complex = [](const Complex *x) { return x[0] / x[1]; },
                            .result = ResultType::Floating,
                            .scalarsInF32 = true};
constexpr PointwiseOp floorDivOp{.real = [](const double *x) { return floorDiv(x[0], x[1]); },
                                 .integer = [](const int64_t *x) { return floorDiv(x[0], x[1]); }};
constexpr PointwiseOp truncOp{.real = [](const double *x) { return std::trunc(x[0]); }};
constexpr PointwiseOp truncDivOp{.integer = [](const int64_t *x) {
  return x[1] == 0 ? 0 : x[1] == -1 ? wrapNeg(x[0]) : x[0] / x[1];
}};
constexpr PointwiseOp remainderOp{
    .real = [](const double *x) { return remainder(x[0], x[1]); },
    .integer = [](const int64_t *x) { return wrapAdd(x[0], wrapNeg(wrapMul(floorDiv(x[0], x[1]), x[1]))); }};
constexpr PointwiseOp powOp{.real = [](const double *x) { return std::pow(x[0], x[1]); },
                            .integer = [](const int64_t *x) { return wrapPow(x[0], x[1]); },
                            .complex = [](const Complex *x) { return std::pow(x[0], x[1]); }};
constexpr PointwiseOp maximumOp{.real = [](const double *x) { return maximum(x[0], x[1]); },
                                .integer = [](const int64_t *x) { return std::max(x[0], x[1]); }};
constexpr PointwiseOp minimumOp{.real = [](const double *x) { return minimum(x[0], x[1]); },
                                .integer = [](const int64_t *x) { return std::min(x[0], x[1]); }};

// --- Comparisons and logic ------------------------------------------------------------------------
#define CCGRAPH_COMPARISON(NAME, OP)                                                                                   \
  constexpr PointwiseOp NAME{.real = [](const double *x) -> double { return x[0] OP x[1]; },                           \
                             .integer = [](const int64_t *x) -> int64_t { return x[0] OP x[1]; },                      \
                             .result = ResultType::Truth};
CCGRAPH_COMPARISON(ltOp, <)
CCGRAPH_COMPARISON(leOp, <=)
CCGRAPH_COMPARISON(gtOp, >)
CCGRAPH_COMPARISON(geOp, >=)
#undef CCGRAPH_COMPARISON
constexpr PointwiseOp eqOp{.real = [](const double *x) -> double { return x[0] == x[1]; },
                           .integer = [](const int64_t *x) -> int64_t { return x[0] == x[1]; },
                           .complex = [](const Complex *x) -> Complex { return x[0] == x[1]; },
                           .result = ResultType::Truth};
constexpr PointwiseOp neOp{.real = [](const double *x) -> double { return x[0] != x[1]; },
                           .integer = [](const int64_t *x) -> int64_t { return x[0] != x[1]; },
                           .complex = [](const Complex *x) -> Complex { return x[0] != x[1]; },
                           .result = ResultType::Truth};
template <typename T>
bool isSet(T value) {
  return value != T(0);
}
#define CCGRAPH_LOGICAL(NAME, EXPRESSION)                                                                              \
  constexpr PointwiseOp NAME{.real = [](const double *x) -> double { return EXPRESSION; },                             \
                             .integer = [](const int64_t *x) -> int64_t { return EXPRESSION; },                        \
                             .complex = [](const Complex *x) -> Complex { return EXPRESSION; },                        \
                             .result = ResultType::Truth};
CCGRAPH_LOGICAL(logicalAndOp, isSet(x[0]) && isSet(x[1]))
CCGRAPH_LOGICAL(logicalOrOp, isSet(x[0]) || isSet(x[1]))
CCGRAPH_LOGICAL(logicalXorOp, isSet(x[0]) != isSet(x[1]))
CCGRAPH_LOGICAL(logicalNotOp, !isSet(x[0]))
#undef CCGRAPH_LOGICAL
#define CCGRAPH_BITWISE(NAME, EXPRESSION)                                                                              \
  constexpr PointwiseOp NAME{.integer = [](const int64_t *x) -> int64_t { return EXPRESSION; },                        \
                             .result = ResultType::Integral};
CCGRAPH_BITWISE(bitwiseAndOp, x[0] & x[1])
CCGRAPH_BITWISE(bitwiseOrOp, x[0] | x[1])
CCGRAPH_BITWISE(bitwiseXorOp, x[0] ^ x[1])
CCGRAPH_BITWISE(bitwiseNotOp, ~x[0])
// A shift by more bits than there are leaves nothing, or the sign.
CCGRAPH_BITWISE(leftShiftOp, x[1]<0 || x[1]> 63 ? 0 : wrapMul(x[0], int64_t(uint64_t{1} << x[1])))
CCGRAPH_BITWISE(rightShiftOp, x[0] >> (x[1] < 0 || x[1] > 63 ? 63 : x[1]))
#undef CCGRAPH_BITWISE

constexpr PointwiseOp rootOp{.real = [](const double *x) { return std::sqrt(x[0]); }};
constexpr PointwiseOp inverseRootOp{.real = [](const double *x) { return 1 / std::sqrt(x[0]); }};

// --- Kernels whose operands need a word more --------------------------------------------------
/// torch rejects `-` on bool, because users expect different results.
template <const PointwiseOp &op>
Value difference(KernelArgs &args) {
  Operands operands = operandsAndFactor(args, 2);
  auto isBool = [](const Operand &o) { return o.tensor.dtype() == DType::Bool; };
  bool refused = llvm::any_of(llvm::ArrayRef<Operand>(operands).take_front(2), isBool);
  args.check(!refused, "got a bool, expected numbers (note: use logical_xor or logical_not)");
  return pointwise(args, operands, op);
}

/// rounding_mode: None divides, "floor" and "trunc" round the quotient and keep integers.
const PointwiseOp &divisionOf(KernelArgs &args) {
  if (!args.has(2))
    return divOp;
  llvm::StringRef mode = args.text(2, "");
  args.check(mode == "floor" || mode == "trunc", "got rounding_mode '" + mode + "', expected 'floor', 'trunc' or None");
  return mode == "floor" ? floorDivOp : truncDivOp;
}

/// The quotient of floats is rounded to its dtype before it is cut (torch.div with rounding_mode="trunc"): a bf16
/// quotient of 2.999 is 3 by then, and stays 3.
bool cutsQuotient(const PointwiseOp &op, llvm::ArrayRef<Operand> operands) {
  return &op == &truncDivOp && isFloat(resultType(operands));
}

Value divide(KernelArgs &args) {
  const PointwiseOp &op = divisionOf(args);
  Operands operands = operandsOf(args, 2);
  if (args.failed() || !cutsQuotient(op, operands))
    return pointwise(args, operands, op);
  return pointwise(args, Operand{pointwise(args, operands, divOp)}, truncOp);
}

Value divideInPlace(KernelArgs &args) {
  const PointwiseOp &op = divisionOf(args);
  Operands operands = operandsOf(args, 2);
  if (args.failed())
    return {};
  pointwiseInto(args, operands[0].tensor, operands, cutsQuotient(op, operands) ? divOp : op);
  if (!args.failed() && cutsQuotient(op, operands))
    pointwiseInto(args, operands[0].tensor, operands[0], truncOp);
  return operands[0].tensor;
}

/// ~ of a bool is its negation, not a flip of all bits of a byte.
Value bitwiseNot(KernelArgs &args) {
  bool truth = args.operand(0).tensor.dtype() == DType::Bool;
  return pointwise(args, operandsOf(args, 1), truth ? logicalNotOp : bitwiseNotOp);
}

/// The power of a number is laid out anew.
Value powerOfNumber(KernelArgs &args) {
  Operands operands = operandsOf(args, 2);
  operands[1].tensor = operands[1].tensor.contiguous();
  return pointwise(args, operands, powOp);
}

/// PyTorch takes roots for the exponents 0.5 and -0.5, but in f16, which shows at minus infinity.
Value powerByNumber(KernelArgs &args) {
  Operands operands = operandsOf(args, 2);
  bool half = !args.failed() && isFloat(operands[0].tensor.dtype()) && operands[0].tensor.dtype() != DType::F16 &&
              args.at(1).is(Value::Kind::Float) && std::fabs(args.at(1).floating()) == 0.5;
  if (!half)
    return pointwise(args, operands, powOp);
  return pointwise(args, operands[0], args.at(1).floating() > 0 ? rootOp : inverseRootOp);
}

const Kernel arithmeticTable[] = {
    {"aten.bitwise_left_shift.Tensor", "self,other", pointwiseKernel<leftShiftOp, 2>},
    {"aten.bitwise_left_shift.Tensor_Scalar", "self,other", pointwiseKernel<leftShiftOp, 2>},
    {"aten.bitwise_right_shift.Tensor", "self,other", pointwiseKernel<rightShiftOp, 2>},
    {"aten.bitwise_right_shift.Tensor_Scalar", "self,other", pointwiseKernel<rightShiftOp, 2>},
    {"prims.bitwise_and.default", "self,other", pointwiseKernel<bitwiseAndOp, 2>},
    {"prims.bitwise_or.default", "self,other", pointwiseKernel<bitwiseOrOp, 2>},
    {"prims.bitwise_xor.default", "self,other", pointwiseKernel<bitwiseXorOp, 2>},
    {"aten.__lshift__.Scalar", "self,other", pointwiseKernel<leftShiftOp, 2>},
    {"aten.__rshift__.Scalar", "self,other", pointwiseKernel<rightShiftOp, 2>},
    {"aten.remainder.Scalar_Tensor", "self,other", pointwiseKernel<remainderOp, 2>},
    {"aten.multiply.Tensor", "self,other", pointwiseKernel<mulOp, 2>},
    {"aten.__xor__.Tensor", "self,other", pointwiseKernel<bitwiseXorOp, 2>},
    {"aten.__and__.Tensor", "self,other", pointwiseKernel<bitwiseAndOp, 2>},
    {"aten.__or__.Tensor", "self,other", pointwiseKernel<bitwiseOrOp, 2>},
    {"aten.add.Scalar", "self,other,alpha", weightedKernel<addOp, 2>},
    {"aten.add.Tensor", "self,other,alpha", weightedKernel<addOp, 2>},
    {"aten.add_.Scalar", "self,other,alpha", weightedInPlace<addOp, 2>},
    {"aten.add_.Tensor", "self,other,alpha", weightedInPlace<addOp, 2>},
    {"aten.bitwise_and.Scalar", "self,other", pointwiseKernel<bitwiseAndOp, 2>},
    {"aten.bitwise_and.Tensor", "self,other", pointwiseKernel<bitwiseAndOp, 2>},
    {"aten.bitwise_and_.Tensor", "self,other", pointwiseInPlace<bitwiseAndOp, 2>},
    {"aten.bitwise_not.default", "self", bitwiseNot},
    {"aten.bitwise_or.Scalar", "self,other", pointwiseKernel<bitwiseOrOp, 2>},
    {"aten.bitwise_or.Tensor", "self,other", pointwiseKernel<bitwiseOrOp, 2>},
    {"aten.bitwise_or_.Tensor", "self,other", pointwiseInPlace<bitwiseOrOp, 2>},
    {"aten.bitwise_xor.Scalar", "self,other", pointwiseKernel<bitwiseXorOp, 2>},
    {"aten.bitwise_xor.Tensor", "self,other", pointwiseKernel<bitwiseXorOp, 2>},
    {"aten.div.Scalar", "self,other", divide},
    {"aten.div.Scalar_mode", "self,other,rounding_mode", divide},
    {"aten.div.Tensor", "self,other", divide},
    {"aten.div.Tensor_mode", "self,other,rounding_mode", divide},
    {"aten.div_.Scalar", "self,other", divideInPlace},
    {"aten.div_.Tensor", "self,other", divideInPlace},
    {"aten.eq.Scalar", "self,other", pointwiseKernel<eqOp, 2>},
    {"aten.eq.Tensor", "self,other", pointwiseKernel<eqOp, 2>},
    {"aten.floor_divide.Scalar", "self,other", pointwiseKernel<floorDivOp, 2>},
    {"aten.floor_divide.default", "self,other", pointwiseKernel<floorDivOp, 2>},
    {"aten.floor_divide_.Tensor", "self,other", pointwiseInPlace<floorDivOp, 2>},
    {"aten.ge.Scalar", "self,other", pointwiseKernel<geOp, 2>},
    {"aten.ge.Tensor", "self,other", pointwiseKernel<geOp, 2>},
    {"aten.gt.Scalar", "self,other", pointwiseKernel<gtOp, 2>},
    {"aten.gt.Tensor", "self,other", pointwiseKernel<gtOp, 2>},
    {"aten.le.Scalar", "self,other", pointwiseKernel<leOp, 2>},
    {"aten.le.Tensor", "self,other", pointwiseKernel<leOp, 2>},
    {"aten.logical_and.default", "self,other", pointwiseKernel<logicalAndOp, 2>},
    {"aten.logical_and_.default", "self,other", pointwiseInPlace<logicalAndOp, 2>},
    {"aten.logical_not.default", "self", pointwiseKernel<logicalNotOp, 1>},
    {"aten.logical_or.default", "self,other", pointwiseKernel<logicalOrOp, 2>},
    {"aten.logical_or_.default", "self,other", pointwiseInPlace<logicalOrOp, 2>},
    {"aten.logical_xor.default", "self,other", pointwiseKernel<logicalXorOp, 2>},
    {"aten.lt.Scalar", "self,other", pointwiseKernel<ltOp, 2>},
    {"aten.lt.Tensor", "self,other", pointwiseKernel<ltOp, 2>},
    {"aten.maximum.default", "self,other", pointwiseKernel<maximumOp, 2>},
    {"aten.minimum.default", "self,other", pointwiseKernel<minimumOp, 2>},
    {"aten.mul.Scalar", "self,other", pointwiseKernel<mulOp, 2>},
    {"aten.mul.Tensor", "self,other", pointwiseKernel<mulOp, 2>},
    {"aten.mul_.Scalar", "self,other", pointwiseInPlace<mulOp, 2>},
    {"aten.mul_.Tensor", "self,other", pointwiseInPlace<mulOp, 2>},
    {"aten.ne.Scalar", "self,other", pointwiseKernel<neOp, 2>},
    {"aten.ne.Tensor", "self,other", pointwiseKernel<neOp, 2>},
    {"aten.pow.Scalar", "self,exponent", powerOfNumber},
    {"aten.pow.Tensor_Scalar", "self,exponent", powerByNumber},
    {"aten.pow.Tensor_Tensor", "self,exponent", pointwiseKernel<powOp, 2>},
    {"aten.pow_.Tensor", "self,exponent", pointwiseInPlace<powOp, 2>},
    {"aten.remainder.Scalar", "self,other", pointwiseKernel<remainderOp, 2>},
    {"aten.remainder.Tensor", "self,other", pointwiseKernel<remainderOp, 2>},
    {"aten.rsub.Scalar", "self,other,alpha", difference<rsubOp>},
    {"aten.rsub.Tensor", "self,other,alpha", difference<rsubOp>},
    {"aten.sub.Scalar", "self,other,alpha", difference<subOp>},
    {"aten.sub.Tensor", "self,other,alpha", difference<subOp>},
    {"aten.sub_.Scalar", "self,other,alpha", weightedInPlace<subOp, 2>},
    {"aten.sub_.Tensor", "self,other,alpha", weightedInPlace<subOp, 2>},
    {"aten.true_divide.Tensor", "self,other", divide},
};

} // namespace

llvm::ArrayRef<Kernel> arithmeticKernels() { return arithmeticTable; }

} // namespace ccgraph::runtime
