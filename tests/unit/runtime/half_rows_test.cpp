// Rows of f16 become f32 and back as single numbers do.
#include "kernels/half_rows.h"

#include "interpreter/numbers.h"

#include "llvm/ADT/Sequence.h"

#include <gtest/gtest.h>

namespace ccgraph::runtime {
namespace {

TEST(HalfRows, EveryHalfWidensAsItDoesAlone) {
  std::vector<Half> halves;
  for (uint32_t bits : llvm::seq<uint32_t>(0, 0x10000))
    halves.push_back({static_cast<uint16_t>(bits)});
  std::vector<float> floats(halves.size());
  floatsFromHalves(halves.data(), floats.data(), halves.size());
  for (size_t i = 0; i < halves.size(); ++i) {
    float alone = floatFromHalf(halves[i].bits);
    EXPECT_TRUE(floats[i] == alone || (std::isnan(floats[i]) && std::isnan(alone))) << i;
  }
}

void expectRounded(const std::vector<float> &floats) {
  std::vector<Half> halves(floats.size());
  halvesFromFloats(floats.data(), halves.data(), floats.size());
  for (size_t i = 0; i < floats.size(); ++i) {
    uint16_t alone = halfFromFloat(floats[i]);
    bool nans = std::isnan(floats[i]) && std::isnan(floatFromHalf(halves[i].bits));
    EXPECT_TRUE(halves[i].bits == alone || nans) << floats[i];
  }
}

TEST(HalfRows, FloatsRoundAsTheyDoAlone) {
  Numbers draw(1);
  std::vector<float> floats;
  for (int i = 0; i < 100000; ++i)
    floats.push_back(llvm::bit_cast<float>(static_cast<uint32_t>(draw.next())));
  expectRounded(floats);
}

/// What lies in the middle between two halves goes to the even one; beyond 65504 there is infinity, below 2^-24 zero.
TEST(HalfRows, TiesAndEndsRoundAsTheyDoAlone) {
  std::vector<float> floats;
  for (uint32_t bits : llvm::seq<uint32_t>(0, 0x7c00)) {
    float low = floatFromHalf(static_cast<uint16_t>(bits)), high = floatFromHalf(static_cast<uint16_t>(bits + 1));
    float middle = bits == 0x7bff ? 65520.0F : (low + high) / 2;
    for (float near : {std::nextafter(middle, 0.0F), middle, std::nextafter(middle, INFINITY)})
      floats.insert(floats.end(), {near, -near});
  }
  expectRounded(floats);
}

TEST(HalfRows, RowsOfAnyLengthAreWhole) {
  for (size_t count : llvm::seq<size_t>(0, 20)) {
    std::vector<float> floats(count + 1, 7), back(count + 1, 7);
    std::vector<Half> halves(count + 1, Half{0});
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
