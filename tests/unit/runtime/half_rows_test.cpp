// Rows of f16 and bf16 become f32 and back as single numbers do.
#include "tensor/half_rows.h"

#include "tensor/numbers.h"

#include "llvm/ADT/Sequence.h"

#include <gtest/gtest.h>

namespace ccgraph::runtime {
namespace {

template <typename E>
class HalfRows : public testing::Test {
protected:
  static float alone(E half) { return static_cast<float>(widen(half)); }
  static void expectRounded(const std::vector<float> &floats) {
    std::vector<E> halves(floats.size());
    halvesFromFloats(floats.data(), halves.data(), floats.size());
    for (size_t i = 0; i < floats.size(); ++i) {
      bool nans = std::isnan(floats[i]) && std::isnan(alone(halves[i]));
      EXPECT_TRUE(nans || halves[i].bits == narrow<E>(static_cast<double>(floats[i])).bits) << floats[i];
    }
  }
};
using Elements = testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(HalfRows, Elements);

TYPED_TEST(HalfRows, EachWidensAsItDoesAlone) {
  std::vector<TypeParam> halves;
  for (uint32_t bits : llvm::seq<uint32_t>(0, 0x10000))
    halves.push_back({static_cast<uint16_t>(bits)});
  std::vector<float> floats(halves.size());
  floatsFromHalves(halves.data(), floats.data(), halves.size());
  for (size_t i = 0; i < halves.size(); ++i) {
    float alone = this->alone(halves[i]);
    EXPECT_TRUE(floats[i] == alone || (std::isnan(floats[i]) && std::isnan(alone))) << i;
  }
}

TYPED_TEST(HalfRows, FloatsRoundAsTheyDoAlone) {
  Numbers draw(1);
  std::vector<float> floats;
  for (int i = 0; i < 100000; ++i)
    floats.push_back(llvm::bit_cast<float>(static_cast<uint32_t>(draw.next())));
  this->expectRounded(floats);
}

/// A tie between two neighbors is rounded to the even one; beyond the largest number the result is infinity.
TYPED_TEST(HalfRows, TiesAndEndsRoundAsTheyDoAlone) {
  std::vector<float> floats;
  for (uint32_t bits : llvm::seq<uint32_t>(0, 0x7f7f)) {
    float low = this->alone({static_cast<uint16_t>(bits)}), high = this->alone({static_cast<uint16_t>(bits + 1)});
    float middle = std::isfinite(high)  ? (low + high) / 2
                   : std::isfinite(low) ? low + (low - this->alone({static_cast<uint16_t>(bits - 1)})) / 2
                                        : low;
    for (float near : {std::nextafter(middle, 0.0F), middle, std::nextafter(middle, INFINITY)})
      floats.insert(floats.end(), {near, -near});
  }
  this->expectRounded(floats);
}

TYPED_TEST(HalfRows, RowsOfAnyLengthAreWhole) {
  for (size_t count : llvm::seq<size_t>(0, 20)) {
    std::vector<float> floats(count + 1, 7), back(count + 1, 7);
    std::vector<TypeParam> halves(count + 1, TypeParam{0});
    for (size_t i = 0; i < count; ++i)
      floats[i] = static_cast<float>(i);
    halvesFromFloats(floats.data(), halves.data(), count);
    floatsFromHalves(halves.data(), back.data(), count);
    EXPECT_EQ(back, floats);
    EXPECT_EQ(halves[count].bits, 0);
  }
}

} // namespace
} // namespace ccgraph::runtime
