// Compares kernels of products, norms, losses and scans with PyTorch.
#include "unit/runtime/kernels/pytorch_values.h"

namespace ccgraph::runtime::testing {
namespace {

TEST(PytorchValues, Convolutions) {
  expectEach({
      {"aten.convolution.default",
       {steps({1, 2, 4}), steps({2, 1, 3}, 3), steps({2}), integers({2}), integers({1}), integers({1}),
        Value::boolean(false), integers({0}), number(2)},
       {-1.9375, -1.6875, 1.25, -0.25}},
      {"aten.convolution.default",
       {steps({1, 1, 3, 3}), steps({1, 1, 2, 2}, 1), Value(), integers({1, 1}), integers({0, 0}), integers({2, 1}),
        Value::boolean(false), integers({0, 0}), number(1)},
       {0.375, 0.25}},
      {"aten.convolution.default",
       {steps({1, 2, 2}), steps({2, 1, 3}, 5), steps({1}), integers({2}), integers({1}), integers({1}),
        Value::boolean(true), integers({1}), number(1)},
       {-2.875, -2.75, 0.1875, -1.5625}},
      {"aten.convolution_backward.default",
       {steps({1, 2, 2}, 2), steps({1, 2, 4}), steps({2, 1, 3}, 3), integers({2}), integers({2}), integers({1}),
        integers({1}), Value::boolean(false), integers({0}), number(2),
        Value::list({Value::boolean(true), Value::boolean(true), Value::boolean(true)})},
       {-0.125, 1.9375, 0.3125, -0.9375, 0, -1, 0, 0.75, 0.625, 0, 1.3125, 0.5625, -0.6875, -0.1875, 0.75, -0.5}},
      {"aten.convolution_backward.default",
       {steps({1, 1, 4}, 2), steps({1, 2, 2}), steps({2, 1, 3}, 5), integers({1}), integers({2}), integers({1}),
        integers({1}), Value::boolean(true), integers({1}), number(1),
        Value::list({Value::boolean(true), Value::boolean(true), Value::boolean(false)})},
       {-0.5, -0.6875, -0.6875, -0.875, 0.625, 0.75, -1.9375, 1.5625, 0.5625, -1.5625}},
      {"aten.conv1d.padding",
       {steps({1, 1, 5}), steps({1, 1, 2}), Value(), integers({1}), Value::string("same"), integers({1}), number(1)},
       {1.8125, -0.875, 1.25, -1.4375, -0.3125}},
  });
}

TEST(PytorchValues, Pools) {
  expectEach({
      {"aten.max_pool2d_with_indices.default",
       {steps({1, 3, 4}), integers({2, 2}), integers({1, 2}), integers({1, 0}), integers({1, 1}),
        Value::boolean(false)},
       {0.5, 1.25, 0.5, 1.25, 0.75, 1, 0.75, -0.25, 1, 3, 1, 3, 9, 6, 9, 10}},
      {"aten.max_pool2d_with_indices.default",
       {steps({1, 3, 4}), integers({2, 2}), integers({2, 2}), integers({0, 0}), integers({1, 1}), Value::boolean(true)},
       {0.5, 1.25, 0.75, -0.25, 1, 3, 9, 10}},
      {"aten.max_pool2d_with_indices_backward.default",
       {steps({1, 2, 2}), steps({1, 4, 4}), integers({2, 2}), integers({2, 2}), integers({0, 0}), integers({1, 1}),
        Value::boolean(false), i64({1, 2, 2}, {0, 3, 8, 15})},
       {-1.25, 0, 0, 0.5, 0, 0, 0, 0, -0.5, 0, 0, 0, 0, 0, 0, 1.25}},
      {"aten.avg_pool2d.default",
       {steps({1, 3, 4}), integers({2, 2}), integers({2, 2}), integers({1, 1}), Value::boolean(true),
        Value::boolean(false), Value()},
       {-1.25, 0, 1.25, -0.375, 0.1875, -0.625}},
      {"aten.avg_pool2d.default",
       {steps({1, 3, 4}), integers({2, 2}), integers({2, 2}), integers({1, 1}), Value::boolean(true),
        Value::boolean(true), Value()},
       {-0.3125, 0, 0.3125, -0.1875, 0.1875, -0.3125}},
      {"aten.avg_pool2d_backward.default",
       {steps({1, 2, 2}), steps({1, 3, 4}), integers({2, 3}), integers({1, 1}), integers({0, 0}), Value::boolean(false),
        Value::boolean(true), number(4)},
       {-0.3125, -0.1875, -0.1875, 0.125, -0.4375, 0, 0, 0.4375, -0.125, 0.1875, 0.1875, 0.3125}},
  });
}

TEST(PytorchValues, ChannelNorms) {
  expectEach({
      {"aten._native_batch_norm_legit_functional.default",
       {steps({2, 2, 2}), steps({2}, 1), steps({2}, 2), steps({2}), positive({2}), Value::boolean(true), number(0.1),
        number(1e-05)},
       {-1.15527, 0.0679021, 1.90527, 0.682098, -0.106837, -0.805793, 0.856837, 1.55579, -0.3125, 0.4375, 1.39791,
        1.39791, -1.15625, 0.49375, 1.41823, 0.743229}},
      {"aten._native_batch_norm_legit_no_training.default",
       {steps({2, 2, 2}), steps({2}, 1), steps({2}, 2), steps({2}), positive({2}), number(0.1), number(1e-05)},
       {-0.5, 0.214432, 1.82735, 0.81699, 0.11237, -0.295877, 0.961327, 1.53867}},
      {"aten.native_batch_norm_backward.default",
       {steps({2, 2, 2}, 4), steps({2, 2, 2}), steps({2}, 1), Value(), Value(), steps({2}), positive({2}),
        Value::boolean(true), number(1e-05),
        Value::list({Value::boolean(true), Value::boolean(true), Value::boolean(true)})},
       {0.328125, 1.37769, -0.395508, -0.0666504, 0.933105, 1.21729, 0.0336914, 0.435059, -3.65625, -0.375, -0.75,
        -0.5}},
      {"aten.native_batch_norm_backward.default",
       {steps({2, 2, 1}, 4), steps({2, 2, 1}), steps({2}, 1), steps({2}), positive({2}), Value(), Value(),
        Value::boolean(false), number(1e-05),
        Value::list({Value::boolean(true), Value::boolean(true), Value::boolean(true)})},
       {0.102062, 0.43301, 0.408247, -0, 0.61237, 0, 1.25, -0.75}},
      {"aten.native_group_norm.default",
       {steps({1, 4, 2}), steps({4}, 1), Value(), number(1), number(4), number(2), number(2), number(1e-05)},
       {-0.656529, 0.262611, 0.262611, -0.656529, 0.249997, -1.74998, 0.349995, -0.0499994, 0, 0.125, 1.05045,
        1.59998}},
      {"aten.native_group_norm_backward.default",
       {steps({1, 4, 2}, 3), steps({1, 4, 2}), steps({1, 2}), positive({1, 2}), steps({4}, 1), number(1), number(4),
        number(2), number(2), Value::list({Value::boolean(true), Value::boolean(true), Value::boolean(true)})},
       {0.703125, 1.06055, 0.802734, 0.597656, 0.255432, -0.504089, 0.262573, 0.253052, 0.65625, 2.90625, 0.9375, 0.375,
        1.5, 0.25, -1, 0.5}},
  });
}

TEST(PytorchValues, Activations) {
  expectEach({
      {"aten.elu.default",
       {steps({7}), number(0.5), number(2), number(1.5)},
       {-0.846645, 1, -0.527633, 2.5, 0.5, -0.675348, 2}},
      {"aten.elu_backward.default",
       {steps({7}, 3), number(0.5), number(2), number(1.5), Value::boolean(false), steps({7})},
       {0.287541, 0.5, -0.531412, 2, 0, -0.486979, 1.5}},
      {"aten.elu_backward.default",
       {steps({7}, 3), number(0.5), number(2), number(1.5), Value::boolean(true), steps({7})},
       {-0.46875, 0.5, -0.5625, 2, 0, -0.375, 1.5}},
      {"aten.leaky_relu.default", {steps({7})}, {-0.0125, 0.5, -0.005, 1.25, 0.25, -0.0075, 1}},
      {"aten.leaky_relu_backward.default",
       {steps({7}, 3), steps({7}), number(0.2), Value::boolean(false)},
       {0.25, 0.25, -0.15, 1, 0, -0.2, 0.75}},
      {"aten.mish.default", {steps({7})}, {-0.308414, 0.375245, -0.220744, 1.13187, 0.169572, -0.276495, 0.865098}},
      {"aten.mish_backward.default",
       {steps({7}, 3), steps({7})},
       {-0.018372, 0.221606, -0.217133, 1.08046, 0, -0.160746, 0.786777}},
      {"aten.softplus_backward.default",
       {steps({7}, 3), steps({7}), number(2), number(1)},
       {0.0948227, 0.182765, -0.201706, 1, 0, -0.182426, 0.75}},
  });
}

TEST(PytorchValues, ElementLosses) {
  expectEach({
      {"aten.smooth_l1_loss.default",
       {steps({7}), steps({7}, 2), number(0), number(0.5)},
       {0.5, 0.5, 0.5, 1.75, 0.5, 0.5, 1.75}},
      {"aten.smooth_l1_loss_backward.default",
       {steps({1}), steps({3}), steps({3}, 2), number(2), number(0.5)},
       {1.25, 1.25, 1.25}},
  });
}

TEST(PytorchValues, UnaryAndBinaryMath) {
  expectEach({
      {"aten.sinh.default", {steps({3})}, {-1.60192, 0.521095, -0.521095}},
      {"aten.asinh.default", {steps({3})}, {-1.04759, 0.481212, -0.481212}},
      {"aten.atanh.default", {i64({2}, {0, 1})}, {0, INFINITY}},
      {"aten.erfinv.default", {steps({4}, 2)}, {-0.476936, NAN, 0.225312, -0.81342}},
      {"aten.lgamma.default", {positive({3})}, {-0.120782, 0.203281, 0.203281}},
      {"aten.digamma.default", {positive({3})}, {0.0364899, -1.08586, -1.08586}},
      {"aten.atan2.default", {steps({3}), steps({3}, 1)}, {-1.19029, 2.35619, -0.380506}},
      {"aten.fmod.Tensor", {steps({4}), steps({4}, 2)}, {-0.25, 0.5, -0, 0.5}},
      {"aten.fmod.Scalar", {i64({3}, {-7, 7, 5}), number(3)}, {-1, 1, 2}},
      {"aten.copysign.Tensor", {steps({3}), steps({3}, 2)}, {-1.25, 0.5, 0.5}},
      {"aten.hypot.default", {steps({3}), steps({3}, 1)}, {1.34629, 0.707107, 1.34629}},
      {"aten.logaddexp.default", {steps({3}), steps({3}, 1)}, {0.660224, 0.813262, 1.41022}},
      {"aten.xlogy.Tensor", {steps({3}), positive({3})}, {-0.506831, -0.143841, 0.143841}},
      {"aten.frac.default", {steps({3})}, {-0.25, 0.5, -0.5}},
      {"aten.signbit.default", {steps({3})}, {1, 0, 1}},
      {"aten.sgn.default", {steps({3})}, {-1, 1, -1}},
      {"aten.bitwise_left_shift.Tensor", {i64({3}, {1, -3, 5}), i64({3}, {4, 1, 70})}, {16, -6, 0}},
      {"aten.bitwise_right_shift.Tensor_Scalar", {i64({3}, {9, -9, 5}), number(1)}, {4, -5, 2}},
  });
}

TEST(PytorchValues, Windows) {
  expectEach({
      {"aten.unfold.default", {steps({5}), number(0), number(3), number(2)}, {-1.25, 0.5, -0.5, -0.5, 1.25, 0.25}},
      {"aten.unfold_backward.default",
       {steps({2, 3}), integers({5}), number(0), number(3), number(2)},
       {-1.25, 0.5, 0.75, 0.25, -0.75}},
      {"aten.diagonal_scatter.default",
       {steps({3, 3}), steps({2}, 5), number(-1)},
       {-1.25, 0.5, -0.5, -0.75, 0.25, -0.75, 1, 1, -1}},
      {"aten.as_strided_scatter.default",
       {steps({5}), steps({2}, 1), integers({2}), integers({2}), number(1)},
       {-1.25, 0.5, -0.5, -0.5, 0.25}},
      {"aten.index_copy.default",
       {steps({3, 2}), number(0), i64({2}, {2, 0}), steps({2, 2}, 3)},
       {-0.75, 1, -0.5, 1.25, 1.25, 0.25}},
      {"aten.index_add.default",
       {steps({3, 2}), number(0), i64({2}, {2, 2}), steps({2, 2}, 3)},
       {-1.25, 0.5, -0.5, 1.25, 0.75, 0.5}},
  });
}

TEST(PytorchValues, Resampling) {
  expectEach({
      {"aten.upsample_bilinear2d.default",
       {steps({1, 1, 2, 3}), integers({3, 4}), Value::boolean(false)},
       {-1.25, -0.15625, 0.125, -0.5, 0, 0.234375, 0, -0.625, 1.25, 0.625, -0.125, -0.75}},
      {"aten.upsample_bilinear2d.default",
       {steps({1, 1, 2, 3}), integers({3, 4}), Value::boolean(true)},
       {-1.25, -0.0833333, 0.166667, -0.5, 0, 0.25, 0.0416666, -0.625, 1.25, 0.583333, -0.0833334, -0.75}},
      {"aten.upsample_bilinear2d_backward.default",
       {steps({1, 1, 3, 2}), integers({3, 2}), integers({1, 1, 2, 3}), Value::boolean(false)},
       {-1.125, -0.09375, 0.84375, 0, -0.03125, -0.09375}},
  });
}

TEST(PytorchValues, Composites) {
  expectEach({
      {"aten.std_mean.correction", {steps({2, 3}), integers({1})}, {0.877971, 1, -0.416667, 0.25}},
      {"aten.var.dim", {steps({2, 3}), integers({0}), Value::boolean(false)}, {1.5625, 0.015625, 0.015625}},
      {"aten.norm.Scalar", {steps({5}), number(1)}, {3.75}},
      {"aten.norm.ScalarOpt_dim", {steps({2, 3}), number(2), integers({1})}, {1.43614, 1.47902}},
  });
}

TEST(PytorchValues, Scans) {
  expectEach({
      {"aten.cumprod.default",
       {steps({2, 4}), number(1)},
       {-1.25, -0.625, 0.3125, 0.390625, 0.25, -0.1875, -0.1875, -0}},
      {"aten.cummax.default", {steps({6}), number(0)}, {-1.25, 0.5, 0.5, 1.25, 1.25, 1.25, 0, 1, 1, 3, 3, 3}},
  });
}

TEST(PytorchValues, InPlace) {
  expectEach({
      {"aten.sin_.default", {steps({3})}, {-0.948985, 0.479426, -0.479426}},
      {"aten.clamp_.default", {steps({4}), number(-0.5), number(0.5)}, {-0.5, 0.5, -0.5, 0.5}},
      {"aten.addmm_.default", {steps({2, 2}), steps({2, 3}), steps({3, 2})}, {-0.0625, 0.875, -2.375, 2.75}},
      {"aten.eq_.Scalar", {steps({3}), number(-1.25)}, {1, 0, 0}},
      {"aten.index_add_.default", {steps({3}), number(0), i64({2}, {0, 0}), steps({2})}, {-2, 0.5, -0.5}},
      {"aten.cumsum_.default", {steps({4}), number(0)}, {-1.25, -0.75, -1.25, 0}},
  });
}

TEST(PytorchValues, AttentionOnACpu) {
  expectEach({
      {"aten._scaled_dot_product_flash_attention_for_cpu.default",
       {steps({1, 2, 2, 2}), steps({1, 2, 2, 2}, 3), steps({1, 2, 2, 2}, 5), number(0.0), Value::boolean(true), Value(),
        number(0.5)},
       {-0.75, 1, -0.206347, -0.449741, 0.75, -0.25, -0.435333, 0.1945, -0.71875, 1.13426, 0.375, 0.898123}},
      {"aten._scaled_dot_product_flash_attention_for_cpu.default",
       {steps({1, 2, 2, 2}), steps({1, 1, 2, 2}, 3), steps({1, 1, 2, 2}, 5), number(0.0), Value::boolean(false),
        steps({2, 2})},
       {-0.0166872, -0.955501, -0.0317167, -0.915422, -0.201898, -0.461605, -0.312625, -0.166333, 1.53897, 2.44226,
        0.150699, 1.25895}},
      {"aten.scaled_dot_product_attention.default",
       {steps({2, 3, 2}), steps({2, 2, 2}, 3), steps({2, 2, 2}, 5), Value(), number(0.0), Value::boolean(false)},
       {-0.0868413, -0.768423, -0.151963, -0.594767, -0.509597, 0.358924, -0.50912, 0.22217, -0.183806, 0.100177,
        0.12802, -0.0167575}},
  });
}

} // namespace
} // namespace ccgraph::runtime::testing
