// What kernels once did otherwise than PyTorch: every expectation is what PyTorch 2.15 gives on the CPU.
#include "unit/runtime/kernels/kernel_testing.h"

#include <cmath>

namespace ccgraph::runtime::testing {
namespace {

constexpr double nan = NAN;

Tensor complexOf(const std::vector<Complex> &values) {
  Tensor result = Tensor::zeros(DType::C64, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    writeElement<Complex>(DType::C64, result.data() + i * 8, values[i]);
  return result;
}

Complex complexValue(const Tensor &tensor) { return readElement<Complex>(tensor.dtype(), tensor.data()); }

TEST(PyTorchDifferences, VdotConjugatesItsFirstFactor) {
  Tensor a = complexOf({{1, 2}, {0, 1}});
  EXPECT_EQ(complexValue(call("aten.vdot.default", {a, a}).tensor()), Complex(6, 0));
}

TEST(PyTorchDifferences, NaNWinsInBothExtremes) {
  for (const char *target : {"aten.argmax.default", "aten.argmin.default"})
    EXPECT_EQ(valuesOf(target, {f32({4}, {1, nan, -2, nan})}), Doubles{1}) << target;
  Value least = call("aten.min.dim", {f32({2, 2}, {1, nan, 3, 2}), number(1)});
  EXPECT_TRUE(std::isnan(values(least.list()[0].tensor())[0]));
  EXPECT_EQ(values(least.list()[1].tensor()), (Doubles{1, 1}));
}

TEST(PyTorchDifferences, NaNBoundsClampToNaN) {
  for (double value : valuesOf("aten.clamp.default", {f32({2}, {1, 2}), number(nan), number(5.0)}))
    EXPECT_TRUE(std::isnan(value));
}

TEST(PyTorchDifferences, BoundsThatNoElementCanPassExcludeNone) {
  Tensor x = tensor(DType::U8, {2}, {1, 200});
  EXPECT_EQ(valuesOf("aten.clamp.default", {x, number(-5), number(300)}), (Doubles{1, 200}));
  EXPECT_EQ(valuesOf("aten.clamp_min.default", {x, number(-5)}), (Doubles{1, 200}));
  EXPECT_EQ(valuesOf("aten.clamp_max.default", {tensor(DType::I8, {2}, {-100, 100}), number(1000)}),
            (Doubles{-100, 100}));
  EXPECT_NE(failure("aten.clamp_max.default", {x, number(-5)}).find("which u8 does not hold"), std::string::npos);
}

TEST(PyTorchDifferences, SignsAndStepsOfNaNAreZero) {
  EXPECT_EQ(valuesOf("aten.sign.default", {f32({2}, {nan, -3})}), (Doubles{0, -1}));
  EXPECT_EQ(valuesOf("aten.heaviside.default", {f32({2}, {nan, 0}), f32({2}, {5, 5})}), (Doubles{0, 5}));
}

TEST(PyTorchDifferences, NaNStandsAfterAllBoundaries) {
  Value::List arguments{f32({3}, {nan, 1, -2}), f32({2}, {0, 1})};
  EXPECT_EQ(valuesOf("aten.bucketize.Tensor", arguments), (Doubles{2, 1, 0}));
  EXPECT_EQ(valuesOf("aten.bucketize.Tensor", arguments, {{"right", Value::boolean(true)}}), (Doubles{2, 2, 0}));
}

TEST(PyTorchDifferences, TruthOfU8IsU8) {
  Tensor x = tensor(DType::U8, {2}, {0, 7});
  EXPECT_EQ(typeOf("aten.any.default", {x}), "u8[][]");
  EXPECT_EQ(typeOf("aten.all.dim", {x, number(0)}), "u8[][]");
  EXPECT_EQ(typeOf("aten.any.default", {i64({1}, {7})}), "b8[][]");
}

TEST(PyTorchDifferences, LinearResamplingOfF64ComputesPlacesInF64) {
  Tensor x = tensor(DType::F64, {1, 1, 3}, {0, 1, 2});
  Value::List sizes{x, integers({7}), Value::boolean(true)};
  expectNear(valuesOf("aten.upsample_linear1d.default", sizes), {0, 1.0 / 3, 2.0 / 3, 1, 4.0 / 3, 5.0 / 3, 2}, 1e-14);
}

TEST(PyTorchDifferences, ComplexNumbersPromoteByTheirClass) {
  EXPECT_EQ(typeOf("aten.mul.Tensor", {f32({2}, {1, 2}), Value::complex({0, 1})}), "c64[2][1]");
  EXPECT_EQ(typeOf("aten.mul.Tensor", {tensor(DType::F64, {1}, {1}), Value::complex({0, 1})}), "c128[1][1]");
  EXPECT_EQ(typeOf("aten.add.Tensor", {i64({2}, {1, 2}), Value::complex({0, 1})}), "c64[2][1]");
}

} // namespace
} // namespace ccgraph::runtime::testing
