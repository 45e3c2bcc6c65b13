// MapJob: one operator on the elements of up to four operands, each element independently.
//
// Operands are tensors over the result's shape, or numbers. An operand may be the window that is written: the same
// thread reads an element before it stores it.
//
// Plain value. Failure: none; the caller must ensure that the arithmetic has the operator (isWhole(), isReal()).
#pragma once

#include "device/team.h"
#include "device/window.h"

#include <cmath>

namespace ccgraph::runtime::device {

enum class MapOp : uint8_t {
  // of any arithmetic
  Copy,
  Neg,
  Abs,
  Sign,
  Square,
  Relu,
  LogicalNot,
  Add, ///< a + b * c
  Sub, ///< a - b * c
  ReverseSub,
  Mul,
  Maximum,
  Minimum,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  LogicalAnd,
  LogicalOr,
  LogicalXor,
  Where,      ///< a ? b : c
  MaskedFill, ///< b ? c : a
  Clamp,      ///< a between b and c
  Threshold,  ///< b <= c ? 0 : a
  Addcmul,    ///< a + d * b * c
  Fma,        ///< a * b + c, rounded once
  // of integers and bools
  FloorDivide,
  TruncateDivide,
  BitNot,
  BitAnd,
  BitOr,
  BitXor,
  // of floats
  Div,
  Reciprocal,
  Exp,
  Expm1,
  Log,
  Log1p,
  Sqrt,
  Rsqrt,
  Sin,
  Cos,
  Tanh,
  Erf,
  Sigmoid,
  Silu,
  Gelu,
  GeluTanh,
  LogSigmoid,
  ExpNegAbs, ///< exp(-|a|)
  Floor,
  Ceil,
  Isnan,
  Pow,
  Addcdiv, ///< a + d * b / c
  Lerp,    ///< from a to b, at c
  SigmoidGrad,
  TanhGrad,
  SiluGrad,
  GeluGrad,
  GeluTanhGrad,
  SquaredDifference,
  SquaredDifferenceGrad, ///< d * (b - c) * a
};
CCGRAPH_ANYWHERE constexpr bool isWhole(MapOp op) { return op <= MapOp::BitXor; }
CCGRAPH_ANYWHERE constexpr bool isReal(MapOp op) { return op <= MapOp::Fma || op >= MapOp::Div; }

inline constexpr int mostOperands = 4;

/// Position: the element's own number, row-major.
enum class OperandKind : uint8_t { Tensor, Number, Position };
struct Operand {
  Strided tensor;
  OperandKind kind = OperandKind::Tensor;
  int64_t whole = 0;
  double real = 0;
};

struct MapJob {
  static constexpr bool hasWhole = true;
  MapOp op = MapOp::Copy;
  Arithmetic arithmetic = Arithmetic::Single;
  Shape shape;
  Strided out;
  int numOperands = 0;
  Operand operands[mostOperands];
};

// Integers wrap around, which the language promises of those without a sign alone.
CCGRAPH_ANYWHERE inline int64_t plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
CCGRAPH_ANYWHERE inline int64_t times(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
CCGRAPH_ANYWHERE inline float plus(float a, float b) { return a + b; }
CCGRAPH_ANYWHERE inline float times(float a, float b) { return a * b; }
CCGRAPH_ANYWHERE inline double plus(double a, double b) { return a + b; }
CCGRAPH_ANYWHERE inline double times(double a, double b) { return a * b; }
CCGRAPH_ANYWHERE inline int64_t multiplyAdd(int64_t a, int64_t b, int64_t c) { return plus(times(a, b), c); }
CCGRAPH_ANYWHERE inline float multiplyAdd(float a, float b, float c) { return fmaf(a, b, c); }
CCGRAPH_ANYWHERE inline double multiplyAdd(double a, double b, double c) { return fma(a, b, c); }
template <typename C>
CCGRAPH_ANYWHERE C negated(C a) {
  return times(a, C(-1));
}

template <typename C>
CCGRAPH_ANYWHERE C maximumOf(C a, C b) {
  return a != a ? a : (b != b || a < b ? b : a);
}
template <typename C>
CCGRAPH_ANYWHERE C minimumOf(C a, C b) {
  return a != a ? a : (b != b || b < a ? b : a);
}
template <typename C>
CCGRAPH_ANYWHERE C signOf(C a) {
  return static_cast<C>((a > C()) - (a < C()));
}

/// Operators of both kinds of arithmetic but divisions.
template <typename C>
CCGRAPH_ANYWHERE C applyCommon(MapOp op, const C *x) {
  const C a = x[0], b = x[1], c = x[2], zero = C();
  switch (op) {
  case MapOp::Copy:
    return a;
  case MapOp::Neg:
    return negated(a);
  case MapOp::Abs:
    return a < zero ? negated(a) : a == zero ? zero : a;
  case MapOp::Sign:
    return signOf(a);
  case MapOp::Square:
    return times(a, a);
  case MapOp::Relu:
    return a < zero ? zero : a;
  case MapOp::LogicalNot:
    return static_cast<C>(a == zero);
  case MapOp::Add:
    return plus(a, times(b, c));
  case MapOp::Sub:
    return plus(a, negated(times(b, c)));
  case MapOp::ReverseSub:
    return plus(b, negated(times(a, c)));
  case MapOp::Mul:
    return times(a, b);
  case MapOp::Maximum:
    return maximumOf(a, b);
  case MapOp::Minimum:
    return minimumOf(a, b);
  case MapOp::Eq:
    return static_cast<C>(a == b);
  case MapOp::Ne:
    return static_cast<C>(a != b);
  case MapOp::Lt:
    return static_cast<C>(a < b);
  case MapOp::Le:
    return static_cast<C>(a <= b);
  case MapOp::Gt:
    return static_cast<C>(a > b);
  case MapOp::Ge:
    return static_cast<C>(a >= b);
  case MapOp::LogicalAnd:
    return static_cast<C>(a != zero && b != zero);
  case MapOp::LogicalOr:
    return static_cast<C>(a != zero || b != zero);
  case MapOp::LogicalXor:
    return static_cast<C>((a != zero) != (b != zero));
  case MapOp::Where:
    return a != zero ? b : c;
  case MapOp::MaskedFill:
    return b != zero ? c : a;
  case MapOp::Clamp:
    return minimumOf(maximumOf(a, b), c);
  case MapOp::Threshold:
    return b <= c ? zero : a;
  case MapOp::Addcmul:
    return plus(a, times(times(x[3], b), c));
  case MapOp::Fma:
    return multiplyAdd(a, b, c);
  default: // NOLINT: the rest is of one kind of arithmetic
    return zero;
  }
}

/// Towards the infinity below. By zero: 0, as no device can stop.
CCGRAPH_ANYWHERE inline int64_t floorDivide(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return negated(a);
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

CCGRAPH_ANYWHERE inline int64_t apply(MapOp op, const int64_t *x) {
  switch (op) {
  case MapOp::BitNot:
    return ~x[0];
  case MapOp::BitAnd:
    return x[0] & x[1];
  case MapOp::BitOr:
    return x[0] | x[1];
  case MapOp::BitXor:
    return x[0] ^ x[1];
  case MapOp::FloorDivide:
    return floorDivide(x[0], x[1]);
  case MapOp::TruncateDivide:
    return x[1] == 0 ? 0 : x[1] == -1 ? floorDivide(x[0], x[1]) : x[0] / x[1];
  default: // NOLINT
    return applyCommon(op, x);
  }
}

template <typename C>
CCGRAPH_ANYWHERE C sigmoidOf(C a) {
  return C(1) / (C(1) + std::exp(-a));
}
template <typename C>
CCGRAPH_ANYWHERE C normalBelow(C a) {
  return C(0.5) * (C(1) + std::erf(a * C(0.70710678118654752440)));
}
/// tanh(sqrt(2/pi) (a + 0.044715 a^3)).
template <typename C>
CCGRAPH_ANYWHERE C geluTanhInner(C a) {
  return std::tanh(C(0.79788456080286535588) * (a + C(0.044715) * a * a * a));
}
template <typename C>
CCGRAPH_ANYWHERE C geluGrad(C a) {
  return normalBelow(a) + a * C(0.39894228040143267794) * std::exp(C(-0.5) * a * a);
}
template <typename C>
CCGRAPH_ANYWHERE C geluTanhGrad(C a) {
  C inner = geluTanhInner(a);
  C slope = C(0.79788456080286535588) * (C(1) + C(3 * 0.044715) * a * a);
  return C(0.5) * (C(1) + inner) + C(0.5) * a * (C(1) - inner * inner) * slope;
}
template <typename C>
CCGRAPH_ANYWHERE C siluGrad(C a) {
  C s = sigmoidOf(a);
  return s * (C(1) + a * (C(1) - s));
}

template <typename C>
CCGRAPH_ANYWHERE C applyReal(MapOp op, const C *x) {
  const C a = x[0], b = x[1], c = x[2];
  switch (op) {
  case MapOp::Div:
    return a / b;
  case MapOp::Reciprocal:
    return C(1) / a;
  case MapOp::Exp:
    return std::exp(a);
  case MapOp::Expm1:
    return std::expm1(a);
  case MapOp::Log:
    return std::log(a);
  case MapOp::Log1p:
    return std::log1p(a);
  case MapOp::Sqrt:
    return std::sqrt(a);
  case MapOp::Rsqrt:
    return C(1) / std::sqrt(a);
  case MapOp::Sin:
    return std::sin(a);
  case MapOp::Cos:
    return std::cos(a);
  case MapOp::Tanh:
    return std::tanh(a);
  case MapOp::Erf:
    return std::erf(a);
  case MapOp::Sigmoid:
    return sigmoidOf(a);
  case MapOp::Silu:
    return a * sigmoidOf(a);
  case MapOp::Gelu:
    return a * normalBelow(a);
  case MapOp::GeluTanh:
    return C(0.5) * a * (C(1) + geluTanhInner(a));
  case MapOp::LogSigmoid:
    return minimumOf(a, C()) - std::log1p(std::exp(-std::fabs(a)));
  case MapOp::ExpNegAbs:
    return std::exp(-std::fabs(a));
  case MapOp::Floor:
    return std::floor(a);
  case MapOp::Ceil:
    return std::ceil(a);
  case MapOp::Isnan:
    return static_cast<C>(a != a);
  case MapOp::Pow:
    return std::pow(a, b);
  case MapOp::Addcdiv:
    return a + x[3] * b / c;
  case MapOp::Lerp:
    return std::fabs(c) < C(0.5) ? a + c * (b - a) : b - (b - a) * (C(1) - c);
  case MapOp::SigmoidGrad:
    return a * (C(1) - b) * b;
  case MapOp::TanhGrad:
    return a * (C(1) - b * b);
  case MapOp::SiluGrad:
    return a * siluGrad(b);
  case MapOp::GeluGrad:
    return a * geluGrad(b);
  case MapOp::GeluTanhGrad:
    return a * geluTanhGrad(b);
  case MapOp::SquaredDifference:
    return (a - b) * (a - b);
  case MapOp::SquaredDifferenceGrad:
    return x[3] * (b - c) * a;
  default: // NOLINT
    return applyCommon(op, x);
  }
}
CCGRAPH_ANYWHERE inline float apply(MapOp op, const float *x) { return applyReal(op, x); }
CCGRAPH_ANYWHERE inline double apply(MapOp op, const double *x) { return applyReal(op, x); }

CCGRAPH_ANYWHERE inline void numberOf(const Operand &operand, int64_t &value) { value = operand.whole; }
CCGRAPH_ANYWHERE inline void numberOf(const Operand &operand, float &value) {
  value = static_cast<float>(operand.real);
}
CCGRAPH_ANYWHERE inline void numberOf(const Operand &operand, double &value) { value = operand.real; }

template <typename C>
CCGRAPH_ANYWHERE C valueOf(const MapJob &job, const Operand &operand, int64_t number) {
  C value = static_cast<C>(number);
  if (operand.kind == OperandKind::Tensor)
    return loadAt<C>(operand.tensor, job.shape, number);
  if (operand.kind == OperandKind::Number)
    numberOf(operand, value);
  return value;
}

template <typename C>
CCGRAPH_ANYWHERE void mapElement(const MapJob &job, int64_t number) {
  C x[mostOperands] = {};
  for (int i = 0; i < job.numOperands; ++i)
    x[i] = valueOf<C>(job, job.operands[i], number);
  storeAt<C>(job.out, job.shape, number, apply(job.op, x));
}

CCGRAPH_ANYWHERE inline int64_t unitsOf(const MapJob &job) { return unitsOf(job.shape.count); }

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const MapJob &job, int64_t unit, Team &team) {
  team.each([&](int thread) {
    int64_t number = unit * teamThreads + thread;
    if (number < job.shape.count)
      mapElement<C>(job, number);
  });
}

} // namespace ccgraph::runtime::device
