// Tests reductions, orders, losses, norms and products.
#include "unit/runtime/kernels/kernel_testing.h"

#include <cmath>

namespace ccgraph::runtime::testing {
namespace {

TEST(Reductions, SumOverSomeOrAllDimensions) {
  Tensor x = counting({2, 3});
  EXPECT_EQ(valuesOf("aten.sum.default", {x}), (Doubles{15}));
  EXPECT_EQ(typeOf("aten.sum.dim_IntList", {x, integers({0, -1}), Value::boolean(true)}), "f32[1, 1][1, 1]");
  EXPECT_EQ(valuesOf("aten.sum.dim_IntList", {x, integers({0})}), (Doubles{3, 5, 7}));
  EXPECT_EQ(valuesOf("aten.sum.dim_IntList", {x, integers({})}), (Doubles{15}));
  EXPECT_EQ(valuesOf("aten.mean.dim", {x.permute({1, 0}), integers({0})}), (Doubles{1, 4}));
  EXPECT_EQ(valuesOf("aten.sum.default", {Tensor::zeros(DType::F32, {0})}), (Doubles{0}));
  EXPECT_NE(failure("aten.sum.dim_IntList", {x, integers({1, -1})}).find("each once"), std::string::npos);
  EXPECT_NE(failure("aten.mean.default", {i64({1}, {1})}).find("expected a float"), std::string::npos);
}

TEST(Reductions, SumsRoundOnce) {
  // 2^24 + 1 + 1: each single addition would be lost in f32.
  EXPECT_EQ(valuesOf("aten.sum.default", {f32({3}, {0x1p24, 1, 1})}), (Doubles{0x1p24 + 2}));
  EXPECT_EQ(valuesOf("aten.sum.default", {tensor(DType::BF16, {3}, {256, 1, 1})}), (Doubles{258}));
}

TEST(Reductions, ExtremesKeepNan) {
  EXPECT_TRUE(std::isnan(valuesOf("aten.amax.default", {f32({3}, {1, NAN, 2})})[0]));
  EXPECT_EQ(valuesOf("aten.amax.default", {counting({2, 2}), integers({1}), Value::boolean(true)}), (Doubles{1, 3}));
  EXPECT_EQ(valuesOf("aten.amin.default", {i64({2}, {5, 3})}), (Doubles{3}));
  EXPECT_NE(failure("aten.amax.default", {Tensor::zeros(DType::F32, {0})}).find("at least one"), std::string::npos);
}

TEST(Reductions, VarianceNormAndTruth) {
  Value both = call("aten.var_mean.correction", {f32({4}, {1, 2, 3, 4}), integers({0})}, {{"correction", number(0)}});
  expectNear(values(both.list()[0].tensor()), {1.25});
  expectNear(values(both.list()[1].tensor()), {2.5});
  expectNear(valuesOf("aten.var.correction", {f32({4}, {1, 2, 3, 4})}), {5.0 / 3});
  expectNear(valuesOf("aten.linalg_vector_norm.default", {f32({2}, {3, -4})}), {5});
  expectNear(valuesOf("aten.linalg_vector_norm.default", {f32({2}, {3, -4}), number(INFINITY)}), {4});
  EXPECT_EQ(valuesOf("aten.any.dims", {counting({2, 2}), integers({1})}), (Doubles{1, 1}));
  EXPECT_EQ(valuesOf("aten.all.default", {counting({2})}), (Doubles{0}));
}

TEST(Reductions, TheTraceIsTheSumOfTheDiagonal) {
  EXPECT_EQ(valuesOf("aten.trace.default", {f32({2, 3}, {1, 2, 3, 4, 5, 6})}), (Doubles{6}));
  EXPECT_EQ(typeOf("aten.trace.default", {i64({1, 1}, {3})}), "i64[][]");
  EXPECT_NE(failure("aten.trace.default", {counting({3})}).find("expected a matrix"), std::string::npos);
}

TEST(Order, SortIsStableAndPutsNanLast) {
  Value sorted = call("aten.sort.stable", {f32({4}, {2, NAN, 1, 2})}, {{"stable", Value::boolean(true)}});
  EXPECT_EQ(values(sorted.list()[1].tensor()), (Doubles{2, 0, 3, 1}));
  Value falling = call("aten.sort.default", {i64({3}, {1, 3, 1}), number(0), Value::boolean(true)});
  EXPECT_EQ(values(falling.list()[1].tensor()), (Doubles{1, 0, 2}));
}

TEST(Order, TopkMaxAndArgmax) {
  Value top = call("aten.topk.default", {f32({2, 3}, {1, 3, 2, 6, 4, 5}), number(2)});
  EXPECT_EQ(values(top.list()[0].tensor()), (Doubles{3, 2, 6, 5}));
  EXPECT_EQ(values(top.list()[1].tensor()), (Doubles{1, 2, 0, 2}));
  Value most = call("aten.max.dim", {counting({2, 2}), number(0)});
  EXPECT_EQ(values(most.list()[0].tensor()), (Doubles{2, 3}));
  EXPECT_EQ(most.list()[1].describe(), "i64[2][1]");
  EXPECT_EQ(valuesOf("aten.argmax.default", {f32({2, 2}, {1, 5, 5, 0})}), (Doubles{1}));
  EXPECT_EQ(typeOf("aten.argmax.default", {counting({2, 2}), number(1), Value::boolean(true)}), "i64[2, 1][1, 1]");
  EXPECT_EQ(valuesOf("aten.cumsum.default", {counting({2, 2}), number(0)}), (Doubles{0, 1, 2, 4}));
  EXPECT_NE(failure("aten.topk.default", {counting({2}), number(3)}).find("got k = 3"), std::string::npos);
}

TEST(Order, MediansAndOtherPlacesInOrder) {
  Tensor lines = f32({2, 4}, {4, 1, 3, 2, NAN, 1, 2, 5});
  Value median = call("aten.median.dim", {lines, number(1)});
  EXPECT_EQ(values(median.list()[0].tensor())[0], 2) << "the lower one of two in the middle";
  EXPECT_TRUE(std::isnan(values(median.list()[0].tensor())[1]));
  EXPECT_EQ(values(median.list()[1].tensor()), (Doubles{3, 0}));
  Value known = call("aten.nanmedian.dim", {lines, number(1), Value::boolean(true)});
  EXPECT_EQ(values(known.list()[0].tensor()), (Doubles{2, 2}));
  EXPECT_EQ(values(known.list()[1].tensor()), (Doubles{3, 2}));
  EXPECT_EQ(known.list()[1].describe(), "i64[2, 1][1, 1]");
  EXPECT_EQ(valuesOf("aten.median.default", {i64({4}, {3, 1, 2, 9})}), (Doubles{2}));
  EXPECT_TRUE(std::isnan(valuesOf("aten.nanmedian.default", {f32({2}, {NAN, NAN})})[0]));
}

TEST(Order, PositionsOfSetElementsFillAGivenNumberOfRows) {
  EXPECT_EQ(valuesOf("aten.nonzero_static.default", {i64({2, 2}, {1, 0, 0, 2})}, {{"size", number(3)}}),
            (Doubles{0, 0, 1, 1, -1, -1}));
  EXPECT_EQ(valuesOf("aten.nonzero_static.default", {i64({3}, {1, 1, 1})}, {{"size", number(2)}}), (Doubles{0, 1}));
}

TEST(Losses, SoftmaxAndItsGradient) {
  Tensor x = f32({1, 2}, {0, std::log(3.0)});
  expectNear(valuesOf("aten._softmax.default", {x, number(1), Value::boolean(false)}), {0.25, 0.75});
  expectNear(valuesOf("aten._log_softmax.default", {x, number(-1), Value::boolean(false)}),
             {std::log(0.25), std::log(0.75)});
  Tensor masked = f32({2, 2}, {0, std::log(3.0), -INFINITY, -INFINITY});
  expectNear(valuesOf("aten._safe_softmax.default", {masked, number(-1)}), {0.25, 0.75, 0, 0});
  Tensor y = f32({1, 2}, {0.25, 0.75});
  Value::List backward{f32({1, 2}, {1, 0}), y, number(1), Value::dtype(DType::F32)};
  expectNear(valuesOf("aten._softmax_backward_data.default", backward), {0.1875, -0.1875});
  backward[1] = f32({1, 2}, {std::log(0.25), std::log(0.75)});
  expectNear(valuesOf("aten._log_softmax_backward_data.default", backward), {0.75, -0.75});
  EXPECT_NE(failure("aten._softmax.default", {i64({1}, {1}), number(0), Value::boolean(false)}).find("expected floats"),
            std::string::npos);
}

TEST(Losses, NllLossSkipsTheIgnoredClass) {
  Tensor logits = f32({3, 2}, {-1, -2, -3, -4, -5, -6});
  Tensor target = i64({3}, {0, -100, 1});
  Value loss = call("aten.nll_loss_forward.default", {logits, target, Value(), number(1), number(-100)});
  expectNear(values(loss.list()[0].tensor()), {3.5});
  expectNear(values(loss.list()[1].tensor()), {2});
  expectNear(valuesOf("aten.nll_loss_backward.default",
                      {f32({}, {1}), logits, target, Value(), number(1), number(-100), f32({}, {2})}),
             {-0.5, 0, 0, 0, 0, -0.5});
  EXPECT_NE(failure("aten.nll_loss_forward.default", {logits, i64({3}, {0, 2, 1}), Value(), number(1), number(-100)})
                .find("got class 2 of 2"),
            std::string::npos);
}

TEST(Losses, MeanSquaredError) {
  Tensor a = f32({2}, {1, 4});
  Tensor b = f32({2}, {0, 2});
  EXPECT_EQ(valuesOf("aten.mse_loss.default", {a, b}), (Doubles{2.5}));
  EXPECT_EQ(valuesOf("aten.mse_loss.default", {a, b, number(2)}), (Doubles{5}));
  EXPECT_EQ(valuesOf("aten.mse_loss_backward.default", {f32({}, {1}), a, b, number(1)}), (Doubles{1, 2}));
}

TEST(Norms, LayerNormAndItsGradient) {
  Tensor x = f32({2, 2}, {1, 3, 2, 2});
  Value forward =
      call("aten.native_layer_norm.default", {x, integers({2}), f32({2}, {2, 1}), f32({2}, {0, 1}), number(0.0)});
  EXPECT_EQ(forward.list()[1].describe(), "f32[2, 1][1, 1]");
  expectNear(values(forward.list()[0].tensor().select(0, 0)), {-2, 2});
  Value backward =
      call("aten.native_layer_norm_backward.default",
           {f32({1, 2}, {1, 3}), f32({1, 2}, {1, 3}), integers({2}), f32({1, 1}, {2}), f32({1, 1}, {1}), Value(),
            Value(), Value::list({Value::boolean(true), Value::boolean(false), Value::boolean(true)})});
  expectNear(values(backward.list()[0].tensor()), {0, 0});
  EXPECT_TRUE(backward.list()[1].isNone());
  expectNear(values(backward.list()[2].tensor()), {1, 3});
  EXPECT_NE(failure("aten.layer_norm.default", {x, integers({3})}).find("expected its last sizes"), std::string::npos);
}

TEST(Norms, RmsNorm) {
  Value forward = call("aten._fused_rms_norm.default", {f32({1, 2}, {3, 4}), integers({2}), Value(), number(0.0)});
  expectNear(values(forward.list()[0].tensor()), {3 / std::sqrt(12.5), 4 / std::sqrt(12.5)});
  expectNear(values(forward.list()[1].tensor()), {1 / std::sqrt(12.5)});
}

/// 1 2 3     1 4
/// 4 5 6  x  2 5  = 14 32, 32 77
///           3 6
TEST(Matmul, ProductsOfFloat8HaveScales) {
  Tensor a = tensor(DType::F8E4M3FN, {2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor b = tensor(DType::F8E5M2, {2, 3}, {1, 2, 3, 4, 5, 6}).permute({1, 0});
  Tensor half = f32({}, {0.5}), two = f32({1}, {2});
  auto product = [&](const Tensor &scaleA, const Tensor &scaleB, const Value &bias, DType dtype) {
    return call("aten._scaled_mm.default", {a, b, scaleA, scaleB, bias, Value(), Value::dtype(dtype)}).tensor();
  };
  EXPECT_EQ(values(product(half, half, Value(), DType::F32)), (Doubles{3.5, 8, 8, 19.25}));
  EXPECT_EQ(values(product(half, two, f32({2}, {1, 2}), DType::BF16)), (Doubles{15, 34, 33, 79}));
  EXPECT_EQ(values(product(f32({2, 1}, {1, 2}), f32({1, 2}, {1, 10}), Value(), DType::F32)),
            (Doubles{14, 320, 64, 1540}));
  EXPECT_EQ(typeOf("aten._scaled_mm.default", {a, b, half, half}), "f8e4m3fn[2, 2][2, 1]");
}

TEST(Matmul, RefusesFloat8FactorsAndScalesThatDoNotFit) {
  Tensor a = tensor(DType::F8E4M3FN, {2, 3}, {1, 2, 3, 4, 5, 6}), one = f32({}, {1});
  auto refused = [](Value::List arguments) { return failure("aten._scaled_mm.default", std::move(arguments)); };
  const Tensor b = a.permute({1, 0});
  EXPECT_NE(refused({a, counting({3, 2}), one, one}).find("got dtypes f8e4m3fn and f32"), std::string::npos);
  EXPECT_NE(refused({a, a, one, one}).find("expected [n, k] times [k, m]"), std::string::npos);
  EXPECT_NE(refused({a, b, one, f32({1, 2}, {1, 1})}).find("with one element each, or [n, 1] and [1, m]"),
            std::string::npos);
  EXPECT_NE(refused({a, b, one, one, counting({3})}).find("got the bias f32[3][1]"), std::string::npos);
  EXPECT_NE(refused({a, b, one, one, Value(), one}).find("got a scale_result"), std::string::npos);
}

TEST(Matmul, ProductsOfMatricesAndBatches) {
  Tensor a = counting({2, 3});
  EXPECT_EQ(valuesOf("aten.mm.default", {a, a.permute({1, 0})}), (Doubles{5, 14, 14, 50}));
  EXPECT_EQ(valuesOf("aten.addmm.default", {f32({2}, {1, 2}), a, a.permute({1, 0})},
                     {{"beta", number(2)}, {"alpha", number(0.5)}}),
            (Doubles{4.5, 11, 9, 29}));
  EXPECT_EQ(valuesOf("aten.bmm.default", {counting({2, 1, 2}), counting({2, 2, 1})}), (Doubles{1, 13}));
  EXPECT_EQ(typeOf("aten.linear.default", {counting({2, 2, 3}), a, counting({2})}), "f32[2, 2, 2][4, 2, 1]");
  EXPECT_EQ(valuesOf("aten.linear.default", {f32({3}, {1, 1, 1}), a}), (Doubles{3, 12}));
  EXPECT_EQ(valuesOf("aten.matmul.default", {a, f32({3}, {1, 1, 1})}), (Doubles{3, 12}));
  EXPECT_EQ(typeOf("aten.matmul.default", {counting({2, 1, 2, 3}), counting({4, 3, 1})}),
            "f32[2, 4, 2, 1][8, 2, 1, 1]");
  EXPECT_EQ(valuesOf("aten.mm.default", {i64({1, 2}, {2, 3}), i64({2, 1}, {5, 7})}), (Doubles{31}));
  EXPECT_EQ(typeOf("aten.mm.default", {Tensor::zeros(DType::F32, {2, 0}), Tensor::zeros(DType::F32, {0, 3})}),
            "f32[2, 3][3, 1]");
}

TEST(Matmul, GroupsOfRowsOrColumns) {
  Tensor ends = tensor(DType::I32, {2}, {1, 3});
  Value rows = call("aten._grouped_mm.default", {counting({4, 1}), f32({2, 1, 1}, {10, 100}), ends});
  EXPECT_EQ(values(rows.tensor()), (Doubles{0, 100, 200, 0}));
  Value columns = call("aten._grouped_mm.default", {counting({1, 3}), f32({3, 1}, {1, 1, 1}), ends});
  EXPECT_EQ(columns.describe(), "f32[2, 1, 1][1, 1, 1]");
  EXPECT_EQ(values(columns.tensor()), (Doubles{0, 3}));
  EXPECT_NE(failure("aten._grouped_mm.default", {counting({2, 1}), f32({2, 1, 1}, {1, 1}), ends}).find("up to 2"),
            std::string::npos);
}

// --- Attention ---------------------------------------------------------------------------------
TEST(Attention, CausalMaskHidesLaterKeys) {
  Tensor q = f32({1, 1, 2, 1}, {0, 0});
  Tensor v = f32({1, 1, 2, 1}, {1, 3});
  Value causal = call("aten._scaled_dot_product_flash_attention.default", {q, q, v, number(0.0), Value::boolean(true)});
  expectNear(values(causal.list()[0].tensor()), {1, 2});
  expectNear(values(causal.list()[1].tensor()), {0, std::log(2.0)});
  EXPECT_EQ(causal.list().size(), 9U);
  Value open = call("aten._scaled_dot_product_efficient_attention.default", {q, q, v, Value(), Value::boolean(true)});
  expectNear(values(open.list()[0].tensor()), {2, 2});
  EXPECT_EQ(open.list()[1].describe(), "f32[1, 1, 32][32, 32, 1]");
  EXPECT_NE(failure("aten._scaled_dot_product_flash_attention.default", {q, q, v, number(0.5)}).find("dropout_p = 0.0"),
            std::string::npos);
}

TEST(Attention, ResultsLieTokenMajor) {
  Tensor q = Tensor::zeros(DType::BF16, {2, 3, 4, 5});
  Value result = call("aten._scaled_dot_product_flash_attention.default", {q, q, q});
  EXPECT_EQ(result.list()[0].describe(), "bf16[2, 3, 4, 5][60, 5, 15, 1]");
}

double lossOf(const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &grad) {
  Tensor output = call("aten._scaled_dot_product_flash_attention.default", {q, k, v, number(0.0), Value::boolean(true)})
                      .list()[0]
                      .tensor();
  return valuesOf("aten.sum.default", {call("aten.mul.Tensor", {output, grad})})[0];
}

TEST(Attention, GradientsMatchFiniteDifferences) {
  const IntList sizes = {1, 1, 3, 2};
  Tensor inputs[] = {tensor(DType::F64, sizes, {1, -1, 0.5, 2, -0.3, 0.7}),
                     tensor(DType::F64, sizes, {0.2, 0.4, -1, 1, 0.6, -0.8}),
                     tensor(DType::F64, sizes, {3, 1, -2, 0.5, 1.5, -1})};
  Tensor grad = tensor(DType::F64, sizes, {1, 2, -1, 0.5, 0.25, -2});
  Value forward = call("aten._scaled_dot_product_flash_attention.default",
                       {inputs[0], inputs[1], inputs[2], number(0.0), Value::boolean(true)});
  Value backward = call("aten._scaled_dot_product_flash_attention_backward.default", {grad,
                                                                                      inputs[0],
                                                                                      inputs[1],
                                                                                      inputs[2],
                                                                                      forward.list()[0],
                                                                                      forward.list()[1],
                                                                                      {},
                                                                                      {},
                                                                                      number(3),
                                                                                      number(3),
                                                                                      number(0.0),
                                                                                      Value::boolean(true),
                                                                                      {},
                                                                                      {}});
  for (size_t input = 0; input < 3; ++input)
    for (int64_t i = 0; i < 6; ++i) {
      std::byte *at = inputs[input].data() + i * 8;
      auto x = readElement<double>(DType::F64, at);
      auto lossAt = [&](double value) {
        writeElement<double>(DType::F64, at, value);
        return lossOf(inputs[0], inputs[1], inputs[2], grad);
      };
      double slope = (lossAt(x + 1e-6) - lossAt(x - 1e-6)) / 2e-6;
      writeElement<double>(DType::F64, at, x);
      EXPECT_NEAR(values(backward.list()[input].tensor())[static_cast<size_t>(i)], slope, 1e-6) << input << " " << i;
    }
}

/// The gradients of a block of keys by the CUDA operator, with the output and logarithms of sums that are given.
Value gradientsOfBlock(const Tensor &grad, llvm::ArrayRef<Tensor> inputs, const Value &forward) {
  return call("aten._scaled_dot_product_flash_attention_backward.default", {grad,
                                                                            inputs[0],
                                                                            inputs[1],
                                                                            inputs[2],
                                                                            forward.list()[0],
                                                                            forward.list()[1],
                                                                            {},
                                                                            {},
                                                                            number(2),
                                                                            number(2),
                                                                            number(0.0),
                                                                            Value::boolean(false),
                                                                            {},
                                                                            {}});
}

// Ring attention gives each block of keys the output and the sums of all blocks.
TEST(Attention, GradientsOfABlockOfKeysUseTheSumsOfAllBlocks) {
  Tensor query = tensor(DType::F64, {1, 1, 2, 2}, {1, -1, 0.5, 2});
  Tensor key = tensor(DType::F64, {1, 1, 4, 2}, {0.2, 0.4, -1, 1, 0.6, -0.8, 0.3, -0.7});
  Tensor value = tensor(DType::F64, {1, 1, 4, 2}, {3, 1, -2, 0.5, 1.5, -1, 0.25, 2});
  Tensor grad = tensor(DType::F64, {1, 1, 2, 2}, {1, 2, -1, 0.5});
  Value forward =
      call("aten._scaled_dot_product_flash_attention.default", {query, key, value, number(0.0), Value::boolean(false)});
  Value whole = gradientsOfBlock(grad, {query, key, value}, forward);
  std::vector<double> queryGradient(4), keyGradient;
  for (int64_t first : {0, 2}) {
    Value block =
        gradientsOfBlock(grad, {query, key.slice(2, first, first + 2), value.slice(2, first, first + 2)}, forward);
    std::vector<double> part = values(block.list()[0].tensor()), ofKeys = values(block.list()[1].tensor());
    for (size_t i = 0; i < 4; ++i)
      queryGradient[i] += part[i];
    keyGradient.insert(keyGradient.end(), ofKeys.begin(), ofKeys.end());
  }
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(queryGradient[i], values(whole.list()[0].tensor())[i], 1e-12) << i;
  for (size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(keyGradient[i], values(whole.list()[1].tensor())[i], 1e-12) << i;
}

TEST(Matmul, RefusesShapesAndDTypesThatDoNotFit) {
  EXPECT_NE(failure("aten.mm.default", {counting({2, 3}), counting({2, 3})}).find("expected [n, k] times [k, m]"),
            std::string::npos);
  EXPECT_NE(
      failure("aten.mm.default", {counting({1, 1}), tensor(DType::BF16, {1, 1}, {1})}).find("got dtypes f32 and bf16"),
      std::string::npos);
  EXPECT_NE(failure("aten.linear.default", {counting({2, 3}), counting({2, 2})}).find("[.., k] and [m, k]"),
            std::string::npos);
}

} // namespace
} // namespace ccgraph::runtime::testing
