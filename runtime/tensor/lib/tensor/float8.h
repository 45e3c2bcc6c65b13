// Float8E4M3 and Float8E5M2: the elements of float8_e4m3fn and float8_e5m2, and how they round.
//
// Both have a sign, an exponent and a fraction in one byte (P. Micikevicius et al., "FP8 Formats for Deep Learning",
// 2022):
//   e4m3fn   4 bits of exponent with bias 7, 3 of fraction; no infinity; NaN is 0x7f; the largest number is 448
//   e5m2     5 bits of exponent with bias 15, 2 of fraction; the upper byte of an f16
// A float rounds to the nearest, ties to even. As in PyTorch 2.15, a float above the range of e4m3fn becomes 448, and
// one above the range of e5m2 becomes infinite.
//
// Plain values. Failure: none. Cost: a few instructions a number.
#pragma once

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cstdint>

namespace ccgraph::runtime {

/// Rounds a float without its sign to `Fraction` bits of fraction and an exponent with `Bias`; the exponent may exceed
/// the range of the format. In [2^n, 2^(n+1)), floats are 2^(n-23) apart. So below the smallest normal number, whose
/// neighbors are 2^(1-Bias-Fraction) apart, an addition of 2^(24-Bias-Fraction) rounds.
template <int Fraction, int Bias>
uint32_t roundedMagnitude(uint32_t bits) {
  constexpr int dropped = 23 - Fraction;
  constexpr uint32_t smallestNormal = (128U - Bias) << 23, adds = (151U - Bias - Fraction) << 23;
  if (bits < smallestNormal)
    return llvm::bit_cast<uint32_t>(llvm::bit_cast<float>(bits) + llvm::bit_cast<float>(adds)) - adds;
  constexpr uint32_t belowHalf = (1U << (dropped - 1)) - 1, rebias = (127U - Bias) << Fraction;
  return ((bits + belowHalf + ((bits >> dropped) & 1)) >> dropped) - rebias;
}

/// Converts a float to a sign and at most the magnitude `Most`; NaN is 0x7f.
template <int Fraction, int Bias, uint32_t Most>
uint8_t float8Bits(float value) {
  constexpr uint32_t infinity = 0x7f800000, notANumber = 0x7f;
  const auto bits = llvm::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 24) & 0x80U, rest = bits & 0x7fffffffU;
  const uint32_t magnitude = rest > infinity ? notANumber : std::min(roundedMagnitude<Fraction, Bias>(rest), Most);
  return static_cast<uint8_t>(sign | magnitude);
}

struct Float8E4M3 {
  uint8_t bits;

  static Float8E4M3 of(float value) { return {float8Bits<3, 7, 0x7e>(value)}; }
  /// The bits, placed in a float, give a number that is 2^120 times smaller.
  [[nodiscard]] float asFloat() const {
    const uint32_t sign = (bits & 0x80U) << 24, rest = bits & 0x7fU;
    const auto number = llvm::bit_cast<uint32_t>(llvm::bit_cast<float>(rest << 20) * 0x1p120F);
    return llvm::bit_cast<float>(sign | (rest == 0x7f ? 0x7fc00000U : number));
  }
};

struct Float8E5M2 {
  uint8_t bits;

  static Float8E5M2 of(float value) { return {float8Bits<2, 15, 0x7c>(value)}; }
};

} // namespace ccgraph::runtime
