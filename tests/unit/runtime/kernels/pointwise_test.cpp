// Tests elementwise operators: values, broadcasting, strides of results, in-place forms, refusals.
#include "unit/runtime/kernels/kernel_testing.h"

#include <cmath>

namespace ccgraph::runtime::testing {
namespace {

TEST(Pointwise, BroadcastsAndScalesByAlpha) {
  EXPECT_EQ(valuesOf("aten.add.Tensor", {f32({2, 1}, {1, 2}), f32({3}, {10, 20, 30})}),
            (Doubles{11, 21, 31, 12, 22, 32}));
  EXPECT_EQ(valuesOf("aten.sub.Tensor", {f32({2}, {1, 2}), f32({2}, {1, 1})}, {{"alpha", number(3)}}),
            (Doubles{-2, -1}));
  EXPECT_EQ(valuesOf("aten.rsub.Scalar", {f32({2}, {1, 2}), number(10)}), (Doubles{9, 8}));
}

TEST(Pointwise, RoundsOnceToTheResult) {
  // 256 + 1 is a tie in bf16; 0.1 is used as f32, not as bf16.
  EXPECT_EQ(valuesOf("aten.add.Tensor", {tensor(DType::BF16, {1}, {256}), number(1)}), (Doubles{256}));
  EXPECT_EQ(valuesOf("aten.mul.Tensor", {tensor(DType::BF16, {1}, {10}), number(0.1)}), (Doubles{1}));
  EXPECT_EQ(valuesOf("aten.div.Tensor", {f32({1}, {1}), number(3)}), (Doubles{1.0F / 3.0F}));
}

TEST(Pointwise, IntegersWrapAndDivideAsInPython) {
  EXPECT_EQ(valuesOf("aten.add.Tensor", {tensor(DType::I8, {1}, {127}), number(1)}), (Doubles{-128}));
  EXPECT_EQ(valuesOf("aten.mul.Tensor", {tensor(DType::U8, {1}, {200}), number(2)}), (Doubles{144}));
  EXPECT_EQ(valuesOf("aten.floor_divide.default", {i64({3}, {7, -7, 6}), number(2)}), (Doubles{3, -4, 3}));
  EXPECT_EQ(valuesOf("aten.remainder.Scalar", {i64({3}, {7, -7, 6}), number(4)}), (Doubles{3, 1, 2}));
  EXPECT_EQ(valuesOf("aten.div.Tensor_mode", {i64({2}, {7, -7}), number(2), Value::string("trunc")}), (Doubles{3, -3}));
  EXPECT_EQ(valuesOf("aten.pow.Tensor_Scalar", {i64({2}, {3, -2}), number(3)}), (Doubles{27, -8}));
}

TEST(Pointwise, BitwiseNotOfBoolIsNegation) {
  EXPECT_EQ(valuesOf("aten.bitwise_not.default", {tensor(DType::Bool, {2}, {0, 1})}), (Doubles{1, 0}));
  EXPECT_EQ(valuesOf("aten.bitwise_not.default", {i64({1}, {5})}), (Doubles{-6}));
}

TEST(Pointwise, NanIsKept) {
  EXPECT_TRUE(std::isnan(valuesOf("aten.relu.default", {f32({1}, {NAN})})[0]));
  EXPECT_TRUE(std::isnan(valuesOf("aten.maximum.default", {f32({1}, {NAN}), f32({1}, {1})})[0]));
  EXPECT_TRUE(std::isnan(valuesOf("aten.clamp.default", {f32({1}, {NAN}), number(0), number(1)})[0]));
}

TEST(Pointwise, ClampTakesEitherBound) {
  EXPECT_EQ(valuesOf("aten.clamp.default", {f32({3}, {-1, 0.5, 3}), Value(), number(1.0)}), (Doubles{-1, 0.5, 1}));
  EXPECT_EQ(valuesOf("aten.clamp.default", {i64({3}, {-1, 1, 3}), number(0)}), (Doubles{0, 1, 3}));
  EXPECT_NE(failure("aten.clamp.default", {counting({2})}).find("neither min nor max"), std::string::npos);
}

TEST(Pointwise, ResultsKeepTheOperandsLayout) {
  Tensor t = counting({2, 3}).permute({1, 0});
  EXPECT_EQ(typeOf("aten.neg.default", {t}), "f32[3, 2][1, 3]");
  EXPECT_EQ(typeOf("aten.mul.Tensor", {t, number(2)}), "f32[3, 2][1, 3]");
  EXPECT_EQ(typeOf("aten.add.Tensor", {t, counting({3, 2})}), "f32[3, 2][1, 3]");
  EXPECT_EQ(typeOf("aten.add.Tensor", {counting({3, 2}), t}), "f32[3, 2][2, 1]");
  EXPECT_EQ(typeOf("aten.neg.default", {counting({4, 3}).slice(1, 0, 2)}), "f32[4, 2][2, 1]");
  EXPECT_EQ(typeOf("prims.convert_element_type.default", {t, Value::dtype(DType::BF16)}), "bf16[3, 2][1, 3]");
}

TEST(Pointwise, ChannelsLastOperandsGiveAChannelsLastResult) {
  Tensor nhwc = counting({2, 3, 1, 2}).permute({0, 3, 1, 2});
  EXPECT_EQ(nhwc.typeText(), "f32[2, 2, 3, 1][6, 1, 2, 2]");
  Tensor loose = nhwc.reinterpret(DType::F32, {{2, 2, 3, 1}, {6, 1, 2, 1}, 0});
  EXPECT_EQ(typeOf("aten.add.Tensor", {loose, loose}), "f32[2, 2, 3, 1][6, 1, 2, 2]");
  EXPECT_EQ(typeOf("aten.cat.default", {Value::tensors({nhwc, nhwc}), number(-1)}), "f32[2, 2, 3, 2][12, 1, 4, 2]");
  // The tensor is row-major and channels-last at the same time: the order of the dimensions is kept.
  Tensor both = counting({5}).reinterpret(DType::F32, {{1, 1, 5, 1}, {5, 5, 1, 5}, 0});
  EXPECT_EQ(typeOf("aten.add.Tensor", {both, both}), "f32[1, 1, 5, 1][5, 5, 1, 5]");
}

TEST(Pointwise, InPlaceFormsWriteThroughViews) {
  Tensor x = counting({2, 2});
  call("aten.add_.Scalar", {x.select(1, 0), number(10)});
  EXPECT_EQ(values(x), (Doubles{10, 1, 12, 3}));
  call("aten.mul_.Tensor", {x, x.permute({1, 0})});
  EXPECT_EQ(values(x), (Doubles{100, 12, 12, 9}));
}

TEST(Pointwise, ActivationsAndTheirDerivatives) {
  expectNear(valuesOf("aten.gelu.default", {f32({2}, {1, -2})}), {0.841345, -0.0455003});
  expectNear(valuesOf("aten.gelu.default", {f32({2}, {1, -2})}, {{"approximate", Value::string("tanh")}}),
             {0.841192, -0.0454023});
  expectNear(valuesOf("aten.gelu_backward.default", {f32({1}, {1}), f32({1}, {1})}), {1.083316});
  expectNear(valuesOf("aten.silu_backward.default", {f32({1}, {1}), f32({1}, {1})}), {0.927671});
  expectNear(valuesOf("aten.tanh_backward.default", {f32({1}, {2}), f32({1}, {0.5})}), {1.5});
  EXPECT_EQ(valuesOf("aten.threshold_backward.default", {f32({3}, {1, 2, 3}), f32({3}, {-1, 0, 1}), number(0)}),
            (Doubles{0, 0, 3}));
}

TEST(Pointwise, WhereAndMaskedFill) {
  Tensor mask = tensor(DType::Bool, {2}, {1, 0});
  EXPECT_EQ(valuesOf("aten.where.self", {mask, f32({2}, {1, 2}), f32({}, {9})}), (Doubles{1, 9}));
  EXPECT_EQ(valuesOf("aten.masked_fill.Scalar", {f32({2}, {1, 2}), mask, number(-INFINITY)}), (Doubles{-INFINITY, 2}));
  EXPECT_EQ(valuesOf("aten.masked_fill.Scalar", {i64({2}, {1, 2}), mask, number(1.5)}), (Doubles{1, 2}));
  EXPECT_EQ(valuesOf("aten.masked_fill.Scalar", {mask, mask, number(0)}), (Doubles{0, 0}));
  EXPECT_EQ(valuesOf("aten.lerp.Scalar", {f32({1}, {1}), f32({1}, {3}), number(0.75)}), (Doubles{2.5}));
  EXPECT_EQ(valuesOf("prims.fma.default", {f32({1}, {2}), f32({1}, {3}), f32({1}, {4})}), (Doubles{10}));
}

TEST(Pointwise, RefusesWhatPyTorchRefuses) {
  EXPECT_NE(failure("aten.add.Tensor", {counting({2}), counting({3})}).find("got sizes [2] and [3]"),
            std::string::npos);
  EXPECT_NE(
      failure("aten.sub.Tensor", {tensor(DType::Bool, {1}, {1}), tensor(DType::Bool, {1}, {1})}).find("got a bool"),
      std::string::npos);
  EXPECT_NE(failure("aten.bitwise_and.Tensor", {counting({2}), counting({2})}).find("got dtype f32"),
            std::string::npos);
  EXPECT_NE(failure("aten.gelu.default", {i64({1}, {1})}).find("got dtype i64"), std::string::npos);
  EXPECT_NE(failure("aten.where.self", {counting({2}), counting({2}), counting({2})}).find("expected b8"),
            std::string::npos);
  EXPECT_NE(failure("aten.add.Tensor", {Tensor::zeros(DType::F8E4M3FN, {2}), number(1)}).find("f8e4m3fn"),
            std::string::npos);
}

/// The result may be equal to either bound.
TEST(Pointwise, ClampsToTensorsInOnePass) {
  Tensor x = f32({4}, {-3, 0, 3, NAN}), low = f32({4}, {-1, 1, -1, 0}), high = f32({4}, {1, 0, 2, 1});
  Doubles got = valuesOf("aten.clamp.Tensor", {x, low, high});
  EXPECT_EQ(Doubles(got.begin(), got.begin() + 3), (Doubles{-1, 0, 2}));
  EXPECT_TRUE(std::isnan(got[3]));
}

} // namespace
} // namespace ccgraph::runtime::testing
