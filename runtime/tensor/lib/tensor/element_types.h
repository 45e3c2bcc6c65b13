// Element types: each dtype as a C++ type, and how its numbers widen and narrow.
//
// For loops that are made for one dtype (elements.cpp, reduce_rows.cpp), so that there is one rounding in all of them.
// The wide types, and why they are enough, are in elements.h.
//
// Plain functions of values. Failure: withElement() takes computable() dtypes alone, withConvertible() convertible()
// ones. Cost: a few instructions a number.
#pragma once

#include "tensor/float8.h"

#include "ccgraph/ir/dtype.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

namespace ccgraph::runtime {

using Complex = std::complex<double>;

struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};
struct Truth {
  uint8_t bits;
};

inline uint16_t bfloat16FromFloat(float value) {
  auto bits = llvm::bit_cast<uint32_t>(value);
  // Ties go to even: add half an ulp, less one if the kept part is even. 0x3f808000 is midway between 0x3f80 and
  // 0x3f81; with 0x7fff added it stays below 0x3f81. 0x3f818000 has an odd neighbour below: 0x8000 is added, and it
  // becomes 0x3f82.
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : rounded);
}

/// Without a branch, because loops with branches do not become vectors.
inline uint32_t choose(bool condition, uint32_t yes, uint32_t no) {
  uint32_t mask = 0U - static_cast<uint32_t>(condition);
  return (yes & mask) | (no & ~mask);
}

/// Rounds to the nearest, ties to even. Below 2^-14 the steps of a half are those of the floats from 0.5 on, so an
/// addition rounds.
inline uint16_t halfFromFloat(float value) {
  auto bits = llvm::bit_cast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000;
  bits &= 0x7fffffff;
  uint32_t small = llvm::bit_cast<uint32_t>(llvm::bit_cast<float>(bits) + 0.5F) - llvm::bit_cast<uint32_t>(0.5F);
  uint32_t normal = ((bits + 0xfff + ((bits >> 13) & 1)) >> 13) - (112 << 10);
  uint32_t number = choose(bits < llvm::bit_cast<uint32_t>(0x1p-14F), small, normal);
  uint32_t infinite = choose(bits > 0x7f800000, 0x7e00, 0x7c00);
  return static_cast<uint16_t>(sign | choose(bits >= llvm::bit_cast<uint32_t>(65520.0F), infinite, number));
}

/// The bits of a half, placed in a float, give a number that is 2^112 times smaller.
inline float floatFromHalf(uint16_t bits) {
  uint32_t sign = (bits & 0x8000U) << 16, rest = bits & 0x7fffU;
  auto number = llvm::bit_cast<uint32_t>(llvm::bit_cast<float>(rest << 13) * 0x1p112F);
  uint32_t infinite = choose(rest > 0x7c00, 0x7fc00000, 0x7f800000);
  return llvm::bit_cast<float>(sign | choose(rest >= 0x7c00, infinite, number));
}

template <typename E>
auto widen(E element) {
  if constexpr (std::is_same_v<E, Half>)
    return static_cast<double>(floatFromHalf(element.bits));
  else if constexpr (std::is_same_v<E, BFloat16>)
    return static_cast<double>(llvm::bit_cast<float>(static_cast<uint32_t>(element.bits) << 16));
  else if constexpr (std::is_same_v<E, Float8E4M3>)
    return static_cast<double>(element.asFloat());
  else if constexpr (std::is_same_v<E, Float8E5M2>)
    return static_cast<double>(floatFromHalf(static_cast<uint16_t>(element.bits << 8)));
  else if constexpr (std::is_same_v<E, Truth>)
    return static_cast<int64_t>(element.bits != 0);
  else if constexpr (std::is_floating_point_v<E>)
    return static_cast<double>(element);
  else if constexpr (std::is_integral_v<E>)
    return static_cast<int64_t>(element);
  else
    return Complex(element.real(), element.imag());
}

/// Truncates as x86's conversions do where the value does not fit: the type's minimum. There is one to 32 bits and one
/// to 64, so that narrower types take the low bits of 64.
template <typename Integer>
Integer truncate(double value) {
  constexpr double limit = sizeof(Integer) == 4 ? 0x1p31 : 0x1p63;
  bool fits = value > -limit - 1 && value < limit;
  return fits ? static_cast<Integer>(value) : std::numeric_limits<Integer>::min();
}

template <typename To, typename From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>)
    return value;
  else if constexpr (std::is_same_v<From, Complex>)
    return convert<To>(value.real());
  else if constexpr (std::is_same_v<To, int64_t>)
    return truncate<int64_t>(value);
  else
    return static_cast<To>(value);
}

template <typename E, typename T>
E narrow(T value) {
  if constexpr (std::is_same_v<E, Half>)
    return {halfFromFloat(static_cast<float>(convert<double>(value)))};
  else if constexpr (std::is_same_v<E, BFloat16>)
    return {bfloat16FromFloat(static_cast<float>(convert<double>(value)))};
  else if constexpr (std::is_same_v<E, Float8E4M3> || std::is_same_v<E, Float8E5M2>)
    return E::of(static_cast<float>(convert<double>(value)));
  else if constexpr (std::is_same_v<E, Truth>)
    return {static_cast<uint8_t>(value != T(0))};
  else if constexpr (std::is_same_v<E, int32_t> && !std::is_same_v<T, int64_t>)
    return truncate<int32_t>(convert<double>(value));
  else if constexpr (std::is_integral_v<E>)
    return static_cast<E>(convert<int64_t>(value));
  else if constexpr (std::is_floating_point_v<E> && std::is_same_v<T, int64_t>)
    return static_cast<E>(value); // A conversion through double would round twice.
  else if constexpr (std::is_floating_point_v<E>)
    return static_cast<E>(convert<double>(value));
  else {
    auto wide = convert<Complex>(value);
    return E(static_cast<typename E::value_type>(wide.real()), static_cast<typename E::value_type>(wide.imag()));
  }
}

// NOLINTBEGIN(bugprone-branch-clone): the branches differ in the type of the element.
/// Calls body with a default-made element of the dtype's C++ type.
template <typename Body>
void withElement(DType dtype, Body body) {
  switch (dtype) {
  case DType::U8:
    return body(uint8_t());
  case DType::I8:
    return body(int8_t());
  case DType::I16:
    return body(int16_t());
  case DType::I32:
    return body(int32_t());
  case DType::I64:
    return body(int64_t());
  case DType::U16:
    return body(uint16_t());
  case DType::U32:
    return body(uint32_t());
  case DType::F16:
    return body(Half());
  case DType::BF16:
    return body(BFloat16());
  case DType::F32:
    return body(float());
  case DType::F64:
    return body(double());
  case DType::C64:
    return body(std::complex<float>());
  case DType::C128:
    return body(std::complex<double>());
  case DType::Bool:
    return body(Truth());
  case DType::U64:
  case DType::C32:
  case DType::F8E4M3FN:
  case DType::F8E5M2:
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2FNUZ:
  case DType::F8E8M0FNU:
  case DType::F4E2M1FNX2:
    llvm_unreachable("callers ask computable() first");
  }
}
// NOLINTEND(bugprone-branch-clone)

/// Calls body with a default-made element of the C++ type of a dtype that converts to others.
template <typename Body>
void withConvertible(DType dtype, Body body) {
  if (dtype == DType::F8E4M3FN)
    return body(Float8E4M3());
  if (dtype == DType::F8E5M2)
    return body(Float8E5M2());
  withElement(dtype, body);
}

} // namespace ccgraph::runtime
