// Tests windows of shared memory: strides, aliasing, refusals.
#include "unit/runtime/kernels/kernel_testing.h"

#include <cmath>

namespace ccgraph::runtime::testing {
namespace {

std::string message(llvm::Expected<Tensor> result) { return result ? "no error" : llvm::toString(result.takeError()); }

TEST(Tensor, ViewSplitsAndJoinsDimensions) {
  Tensor x = counting({2, 6});
  EXPECT_EQ(llvm::cantFail(x.view({3, -1})).typeText(), "f32[3, 4][4, 1]");
  EXPECT_EQ(llvm::cantFail(x.view({2, 2, 3, 1})).typeText(), "f32[2, 2, 3, 1][6, 3, 1, 1]");
  Tensor t = x.permute({1, 0});
  EXPECT_EQ(llvm::cantFail(t.view({3, 2, 2})).typeText(), "f32[3, 2, 2][2, 1, 6]");
}

TEST(Tensor, ViewRefusesWhatNeedsACopy) {
  EXPECT_NE(message(counting({2, 6}).permute({1, 0}).view({12})).find("without a copy"), std::string::npos);
  EXPECT_NE(message(counting({2, 6}).view({5, -1})).find("does not hold the 12 elements"), std::string::npos);
}

TEST(Tensor, ExpandStretchesWithStrideZero) {
  EXPECT_EQ(llvm::cantFail(counting({3, 1}).expand({2, -1, 4})).typeText(), "f32[2, 3, 4][0, 1, 0]");
  EXPECT_EQ(llvm::cantFail(counting({}).expand({2, 2})).typeText(), "f32[2, 2][0, 0]");
  EXPECT_NE(message(counting({3}).expand({4})).find("does not expand"), std::string::npos);
}

TEST(Tensor, AsStridedStaysInsideItsStorage) {
  Tensor x = counting({6});
  Tensor window = llvm::cantFail(x.asStrided({{2, 2}, {3, 1}, 1}));
  EXPECT_EQ(values(window), (Doubles{1, 2, 4, 5}));
  EXPECT_NE(message(x.asStrided({{2, 2}, {3, 2}, 1})).find("reaches element 6 of a storage of 6"), std::string::npos);
  EXPECT_NE(message(x.asStrided({{2}, {-1}, 1})).find("negative"), std::string::npos);
}

TEST(Tensor, WritesThroughAViewAreSeenByAll) {
  Tensor x = counting({2, 3});
  Tensor column = x.select(1, 1);
  column.copyFrom(f32({2}, {10, 20}));
  EXPECT_EQ(values(x), (Doubles{0, 10, 2, 3, 20, 5}));
  EXPECT_TRUE(x.aliases(column));
  EXPECT_FALSE(x.aliases(x.clone()));
}

TEST(Tensor, CopyBetweenOverlappingWindowsReadsFirst) {
  Tensor x = counting({5});
  x.slice(0, 1, 5).copyFrom(x.slice(0, 0, 4));
  EXPECT_EQ(values(x), (Doubles{0, 0, 1, 2, 3}));
}

TEST(Tensor, CloneKeepsADenseLayoutOnly) {
  Tensor x = counting({2, 3});
  EXPECT_EQ(x.permute({1, 0}).clone().typeText(), "f32[3, 2][1, 3]");
  EXPECT_EQ(x.slice(1, 0, 2).clone().typeText(), "f32[2, 2][2, 1]");
  EXPECT_EQ(llvm::cantFail(counting({3, 1}).expand({3, 2})).clone().typeText(), "f32[3, 2][2, 1]");
}

TEST(Tensor, HostTensorsAreContiguous) {
  Tensor x = counting({2, 3}).permute({1, 0});
  HostTensor host = x.toHost();
  Tensor back = Tensor::fromHost(host, {1, 3});
  EXPECT_EQ(back.typeText(), "f32[3, 2][1, 3]");
  EXPECT_EQ(values(back), values(x));
  EXPECT_EQ(Tensor::fromHost(host).typeText(), "f32[3, 2][2, 1]");
}

TEST(Tensor, EmptyTensorsAreWellFormed) {
  Tensor x = Tensor::zeros(DType::F32, {0, 3});
  EXPECT_TRUE(x.isContiguous());
  EXPECT_EQ(llvm::cantFail(x.view({3, 0})).typeText(), "f32[3, 0][1, 1]");
  EXPECT_EQ(values(x.clone()), Doubles());
}

// --- Rounding ----------------------------------------------------------------------------------
TEST(Elements, Bf16RoundsTiesToEven) {
  EXPECT_EQ(roundTo(DType::BF16, 1 + 0x1p-8), 1);                  // tie: down to even
  EXPECT_EQ(roundTo(DType::BF16, 1 + 3 * 0x1p-8), 1 + 2 * 0x1p-7); // tie: up to even
  EXPECT_EQ(roundTo(DType::BF16, 1 + 0x1.1p-8), 1 + 0x1p-7);
  EXPECT_TRUE(std::isinf(roundTo(DType::BF16, 3.4e38)));
  EXPECT_TRUE(std::isnan(roundTo(DType::BF16, NAN)));
}

TEST(Elements, F16RoundsTiesToEvenAndKeepsSubnormals) {
  EXPECT_EQ(roundTo(DType::F16, 2049), 2048);
  EXPECT_EQ(roundTo(DType::F16, 2051), 2052);
  EXPECT_EQ(roundTo(DType::F16, 65519), 65504);
  EXPECT_TRUE(std::isinf(roundTo(DType::F16, 65520)));
  EXPECT_EQ(roundTo(DType::F16, 0x1p-24), 0x1p-24);
  EXPECT_EQ(roundTo(DType::F16, 0x1p-25), 0);
  EXPECT_EQ(roundTo(DType::F16, -0x1.8p-24), -0x1p-23);
  EXPECT_EQ(roundTo(DType::F16, 1 - 0x1p-12), 1);
}

TEST(Elements, EveryHalfSurvivesTheRoundTrip) {
  for (DType dtype : {DType::F16, DType::BF16})
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      auto half = static_cast<uint16_t>(bits);
      double wide = readElement<double>(dtype, reinterpret_cast<const std::byte *>(&half));
      uint16_t back = 0;
      writeElement<double>(dtype, reinterpret_cast<std::byte *>(&back), wide);
      if (!std::isnan(wide)) {
        ASSERT_EQ(back, half);
      }
    }
}

TEST(Elements, Int64KeepsAllItsBits) {
  Tensor x = Tensor::zeros(DType::I64, {1});
  writeElement<int64_t>(DType::I64, x.data(), (int64_t(1) << 62) + 1);
  Tensor sum = call("aten.add.Tensor", {x, number(1)}).tensor();
  EXPECT_EQ(readElement<int64_t>(DType::I64, sum.data()), (int64_t(1) << 62) + 2);
}

} // namespace
} // namespace ccgraph::runtime::testing
