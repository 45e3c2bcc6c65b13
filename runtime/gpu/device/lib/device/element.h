// Elements: loads and stores of a device for all element types, and the types of its arithmetic.
//
// Arithmetic is done in one of three types: int64_t of integers and bools, float of floats up to 32 bits, double. Each
// result is rounded once, when it is stored: to the nearest, ties to even. Integers that do not fit wrap around.
//
// Plain functions. Failure: none. Cost: a branch on the type, which all threads of a launch take alike.
#pragma once

#include "device/portable.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ccgraph::runtime::device {

enum class Element : uint8_t { Bool, U8, I8, U16, I16, U32, I32, I64, F16, BF16, F32, F64 };
/// int64_t, float, double.
enum class Arithmetic : uint8_t { Whole, Single, Double };

CCGRAPH_ANYWHERE inline uint32_t bitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}
CCGRAPH_ANYWHERE inline float floatOf(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

CCGRAPH_ANYWHERE inline float fromBFloat16(uint16_t bits) { return floatOf(static_cast<uint32_t>(bits) << 16); }
CCGRAPH_ANYWHERE inline uint16_t toBFloat16(float value) {
  if (value != value)
    return 0x7fc0;
  uint32_t bits = bitsOf(value);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

CCGRAPH_ANYWHERE inline float fromHalf(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31, fraction = bits & 0x3ff;
  if (exponent == 31)
    return floatOf(sign | 0x7f800000 | (fraction << 13));
  if (exponent != 0)
    return floatOf(sign | ((exponent + 112) << 23) | (fraction << 13));
  // A multiple of 2^-24, which float holds exactly.
  float magnitude = static_cast<float>(fraction) * 5.9604644775390625e-8F;
  return floatOf(sign | bitsOf(magnitude));
}
CCGRAPH_ANYWHERE inline uint16_t toHalf(float value) {
  uint32_t bits = bitsOf(value);
  auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00;
  // From 65520 on, the nearest half is infinity.
  if (magnitude >= 0x477ff000)
    return sign | 0x7c00;
  // Below 2^-14: multiples of 2^-24. Adding 0.5, whose last bit is one, has the adder round to them.
  if (magnitude < 0x38800000)
    return static_cast<uint16_t>(sign | (bitsOf(floatOf(magnitude) + 0.5F) - 0x3f000000));
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

/// The element at `index`, counted in elements.
template <typename C>
CCGRAPH_ANYWHERE C load(const std::byte *data, Element element, int64_t index) {
  switch (element) {
  case Element::Bool:
    return static_cast<C>(reinterpret_cast<const uint8_t *>(data)[index] != 0);
  case Element::U8:
    return static_cast<C>(reinterpret_cast<const uint8_t *>(data)[index]);
  case Element::I8:
    return static_cast<C>(reinterpret_cast<const int8_t *>(data)[index]);
  case Element::U16:
    return static_cast<C>(reinterpret_cast<const uint16_t *>(data)[index]);
  case Element::I16:
    return static_cast<C>(reinterpret_cast<const int16_t *>(data)[index]);
  case Element::U32:
    return static_cast<C>(reinterpret_cast<const uint32_t *>(data)[index]);
  case Element::I32:
    return static_cast<C>(reinterpret_cast<const int32_t *>(data)[index]);
  case Element::I64:
    return static_cast<C>(reinterpret_cast<const int64_t *>(data)[index]);
  case Element::F16:
    return static_cast<C>(fromHalf(reinterpret_cast<const uint16_t *>(data)[index]));
  case Element::BF16:
    return static_cast<C>(fromBFloat16(reinterpret_cast<const uint16_t *>(data)[index]));
  case Element::F32:
    return static_cast<C>(reinterpret_cast<const float *>(data)[index]);
  case Element::F64:
    return static_cast<C>(reinterpret_cast<const double *>(data)[index]);
  }
  return C();
}

template <typename C>
CCGRAPH_ANYWHERE void store(std::byte *data, Element element, int64_t index, C value) {
  switch (element) {
  case Element::Bool:
    reinterpret_cast<uint8_t *>(data)[index] = value != C();
    return;
  case Element::U8:
    reinterpret_cast<uint8_t *>(data)[index] = static_cast<uint8_t>(static_cast<int64_t>(value));
    return;
  case Element::I8:
    reinterpret_cast<int8_t *>(data)[index] = static_cast<int8_t>(static_cast<int64_t>(value));
    return;
  case Element::U16:
    reinterpret_cast<uint16_t *>(data)[index] = static_cast<uint16_t>(static_cast<int64_t>(value));
    return;
  case Element::I16:
    reinterpret_cast<int16_t *>(data)[index] = static_cast<int16_t>(static_cast<int64_t>(value));
    return;
  case Element::U32:
    reinterpret_cast<uint32_t *>(data)[index] = static_cast<uint32_t>(static_cast<int64_t>(value));
    return;
  case Element::I32:
    reinterpret_cast<int32_t *>(data)[index] = static_cast<int32_t>(static_cast<int64_t>(value));
    return;
  case Element::I64:
    reinterpret_cast<int64_t *>(data)[index] = static_cast<int64_t>(value);
    return;
  case Element::F16:
    reinterpret_cast<uint16_t *>(data)[index] = toHalf(static_cast<float>(value));
    return;
  case Element::BF16:
    reinterpret_cast<uint16_t *>(data)[index] = toBFloat16(static_cast<float>(value));
    return;
  case Element::F32:
    reinterpret_cast<float *>(data)[index] = static_cast<float>(value);
    return;
  case Element::F64:
    reinterpret_cast<double *>(data)[index] = static_cast<double>(value);
    return;
  }
}

} // namespace ccgraph::runtime::device
