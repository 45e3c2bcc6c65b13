// Tests the elements of float8 dtypes against the definition of their formats.
#include "tensor/elements.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ccgraph::runtime {
namespace {

struct Format {
  DType dtype;
  int fraction;
  int bias;
  /// magnitudes of the largest number, and of what larger numbers become
  uint8_t largest;
  uint8_t beyond;
};

constexpr Format formats[] = {{DType::F8E4M3FN, 3, 7, 0x7e, 0x7e}, {DType::F8E5M2, 2, 15, 0x7b, 0x7c}};

/// Implements the definition: sign, exponent, fraction.
double byDefinition(const Format &format, uint8_t bits) {
  const int magnitude = bits & 0x7f;
  if (magnitude > format.largest)
    return format.dtype == DType::F8E5M2 && magnitude == 0x7c ? std::copysign(INFINITY, bits & 0x80 ? -1 : 1) : NAN;
  const int exponent = magnitude >> format.fraction, hidden = 1 << format.fraction;
  const int fraction = magnitude & (hidden - 1), scale = -format.bias - format.fraction;
  const double value =
      exponent == 0 ? std::ldexp(fraction, 1 + scale) : std::ldexp(hidden + fraction, exponent + scale);
  return bits & 0x80 ? -value : value;
}

double read(DType dtype, uint8_t bits) {
  return readElement<double>(dtype, reinterpret_cast<const std::byte *>(&bits));
}

uint8_t written(DType dtype, double value) {
  uint8_t bits = 0;
  writeElement<double>(dtype, reinterpret_cast<std::byte *>(&bits), value);
  return bits;
}

TEST(Float8, WidensAsDefined) {
  for (const Format &format : formats)
    for (int bits = 0; bits != 256; ++bits) {
      const double expected = byDefinition(format, static_cast<uint8_t>(bits));
      const double got = read(format.dtype, static_cast<uint8_t>(bits));
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(got)
                                       : expected == got && std::signbit(expected) == std::signbit(got))
          << shortName(format.dtype).str() << " " << bits;
    }
}

/// Tests each number, the middle between it and the next one, and the floats next to this middle, with both signs.
TEST(Float8, NarrowsToTheNearestAndTiesToEven) {
  for (const Format &format : formats)
    for (int magnitude = 0; magnitude != format.largest; ++magnitude)
      for (int sign : {0, 0x80}) {
        const auto low = static_cast<uint8_t>(sign | magnitude), high = static_cast<uint8_t>(sign | (magnitude + 1));
        const double from = byDefinition(format, low), to = byDefinition(format, high);
        const auto middle = static_cast<float>((from + to) / 2);
        EXPECT_EQ(written(format.dtype, from), low);
        EXPECT_EQ(written(format.dtype, middle), magnitude % 2 ? high : low);
        EXPECT_EQ(written(format.dtype, std::nextafter(middle, static_cast<float>(from))), low);
        EXPECT_EQ(written(format.dtype, std::nextafter(middle, static_cast<float>(to))), high);
      }
}

TEST(Float8, NumbersBeyondTheRangeSaturateOrBecomeInfinite) {
  for (const Format &format : formats) {
    for (double large : {7e4, 1e30, static_cast<double>(INFINITY)}) {
      EXPECT_EQ(written(format.dtype, large), format.beyond);
      EXPECT_EQ(written(format.dtype, -large), format.beyond | 0x80);
    }
    EXPECT_EQ(written(format.dtype, NAN) & 0x7f, 0x7f);
  }
  EXPECT_EQ(written(DType::F8E4M3FN, 470), 0x7e) << "nearer to 480, which the format lacks";
  EXPECT_EQ(written(DType::F8E5M2, 61440), 0x7c) << "in the middle of 57344 and 65536";
}

} // namespace
} // namespace ccgraph::runtime
