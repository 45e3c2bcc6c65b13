// Tests differences that PyTorch's own samples revealed: every expectation is the result of PyTorch 2.15 on the CPU.
#include "unit/runtime/kernels/kernel_testing.h"

#include <cmath>

namespace ccgraph::runtime::testing {
namespace {

Tensor bf16(const std::vector<double> &values) {
  return tensor(DType::BF16, {static_cast<int64_t>(values.size())}, values);
}
Tensor f16(const std::vector<double> &values) {
  return tensor(DType::F16, {static_cast<int64_t>(values.size())}, values);
}

TEST(PyTorchSamples, BytesAreResizedWithWholeWeightsAndRounded) {
  Tensor x = tensor(DType::U8, {1, 1, 2, 2}, {0, 10, 7, 255});
  EXPECT_EQ(valuesOf("aten.upsample_bilinear2d.default", {x, integers({3, 3}), Value::boolean(true)}),
            (Doubles{0, 5, 10, 4, 68, 133, 7, 131, 255}));
}

TEST(PyTorchSamples, FactorsOfSumsAreRoundedAndFactorsOfProductsAreNot) {
  Tensor one = bf16({1}), hundred = bf16({100});
  EXPECT_EQ(valuesOf("aten.add.Tensor", {one, hundred}, {{"alpha", number(-0.0101)}}), Doubles{-0.007080078125});
  EXPECT_EQ(valuesOf("aten.addcmul.default", {one, hundred, one, number(-0.0101)}), Doubles{-0.010009765625});
}

TEST(PyTorchSamples, QuotientsAreRoundedBeforeTheyAreCut) {
  // 8.9375 / 0.498046875 is 17.945, which is 18 in bf16.
  Value::List operands{bf16({8.9375}), bf16({0.498046875}), Value::string("trunc")};
  EXPECT_EQ(valuesOf("aten.div.Tensor_mode", operands), Doubles{18});
  EXPECT_EQ(valuesOf("aten.div_.Tensor_mode", operands), Doubles{18});
}

TEST(PyTorchSamples, ALoneSampleHasATotalWeight) {
  Value both = call("aten.nll_loss_forward.default", {f32({2}, {-1, -2}), i64({}, {1}), f32({2}, {1, 3}), number(0)});
  EXPECT_EQ(values(both.list()[0].tensor()), Doubles{6});
  EXPECT_EQ(values(both.list()[1].tensor()), Doubles{3});
}

TEST(PyTorchSamples, SequencesOfIntegersCutTheirNumbersFirst) {
  Value::List bounds{number(-0.9), number(2.1), number(2.0), Value::dtype(DType::I64)};
  EXPECT_EQ(valuesOf("aten.arange.start_step", bounds), (Doubles{0, 2}));
}

TEST(PyTorchSamples, GradientsOfFrequentRowsAreDivided) {
  Value::List operands{f32({3, 1}, {1, 2, 5}), i64({3}, {0, 0, 1}), number(2), number(-1), Value::boolean(true)};
  EXPECT_EQ(valuesOf("aten.embedding_dense_backward.default", operands), (Doubles{1.5, 5}));
}

TEST(PyTorchSamples, PaddingIsZerosThatAreMultiplied) {
  Doubles out = valuesOf("aten.conv1d.default", {f32({1, 1, 2}, {1, 2}), f32({1, 1, 2}, {INFINITY, 1}), Value(),
                                                 integers({1}), integers({1})});
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(out[1], INFINITY);
  EXPECT_EQ(out[2], INFINITY);
}

TEST(PyTorchSamples, MeansAfterAnInfinityAreNaN) {
  auto mean = [](const Tensor &x) { return values(call("aten.var_mean.correction", {x}).list()[1].tensor())[0]; };
  EXPECT_TRUE(std::isnan(mean(f32({2}, {INFINITY, 1}))));
  EXPECT_EQ(mean(f32({2}, {1, INFINITY})), INFINITY);
}

TEST(PyTorchSamples, RootsOfMinusInfinityInF16AreInfinite) {
  EXPECT_EQ(valuesOf("aten.pow.Tensor_Scalar", {f16({-INFINITY}), number(0.5)}), Doubles{INFINITY});
}

TEST(PyTorchSamples, LayoutsAreThoseOfPyTorch) {
  EXPECT_EQ(typeOf("aten.nonzero.default", {counting({2, 2})}), "i64[3, 2][1, 3]");
  Value::List last{counting({1, 2, 2, 2}), Value::dtype(DType::F32), Value::boolean(false), Value::boolean(false),
                   Value::string("channels_last")};
  EXPECT_EQ(typeOf("aten.to.dtype", last), "f32[1, 2, 2, 2][8, 1, 4, 2]");
  Tensor turned = counting({2, 3}).permute({1, 0});
  EXPECT_EQ(typeOf("aten.mse_loss_backward.default", {f32({}, {1}), turned, turned, number(1)}), "f32[3, 2][2, 1]");
}

TEST(PyTorchSamples, FormsThatWereRefused) {
  Tensor row = f32({1, 2}, {1, 2}), vector = f32({2}, {3, 4});
  EXPECT_EQ(typeOf("aten.linear.default", {row, vector}), "f32[1][1]");
  EXPECT_EQ(valuesOf("aten.linear.default", {row, vector}), Doubles{11});
  Tensor one = f32({1, 1, 1, 1}, {1}), two = f32({2, 1, 1, 1}, {2, 2});
  EXPECT_EQ(typeOf("aten.scaled_dot_product_attention.default", {one, two, two}), "f32[2, 1, 1, 1][1, 1, 1, 1]");
  Value norms = call("aten._foreach_norm.Scalar", {Value::tensors({vector}), number(2), Value::dtype(DType::F64)});
  EXPECT_EQ(norms.list()[0].tensor().typeText(), "f64[][]");
  EXPECT_EQ(values(norms.list()[0].tensor()), Doubles{5});
}

} // namespace
} // namespace ccgraph::runtime::testing
