// Compares kernels of images, searches, matrices, and further losses and activations with PyTorch.
#include "unit/runtime/kernels/pytorch_values.h"

namespace ccgraph::runtime::testing {
namespace {

/// Pairs of the last dimension as complex numbers.
Tensor asComplex(const Tensor &parts) { return call("aten.view_as_complex.default", {parts}).tensor(); }

TEST(PytorchImageValues, Pools) {
  expectEach({
      {"aten.avg_pool3d.default", {steps({1, 1, 2, 2, 4}), integers({2, 1, 2})}, {-0.25, -0.1875, -0.125, 0.625}},
      {"aten.max_pool3d_with_indices.default", {steps({1, 2, 2, 4}), integers({2, 2, 2})}, {0.75, 1.25, 9, 3}},
      {"aten._adaptive_avg_pool2d.default",
       {steps({1, 3, 5}), integers({2, 3})},
       {-0.125, 0.208333, 0.3125, -0.3125, -0.208333, 0.125}},
      {"aten._adaptive_avg_pool2d_backward.default",
       {steps({1, 2, 3}), steps({1, 3, 5})},
       {-0.3125, -0.229167, 0.0833333, -0.0416667, -0.125, 0, 0.125, 0.125, -0.1875, -0.3125, 0.3125, 0.354167,
        0.0416667, -0.145833, -0.1875}},
      {"aten.adaptive_max_pool2d.default", {steps({1, 3, 5}), integers({2, 2})}, {1, 1.25, 1, 1.25, 6, 3, 6, 14}},
      {"aten.max_unpool2d.default",
       {steps({1, 1, 2}), i64({1, 1, 2}, {1, 4}), integers({2, 3})},
       {0, -1.25, 0, 0, 0.5, 0}},
  });
}

TEST(PytorchImageValues, Resizing) {
  expectEach({
      {"aten.upsample_nearest2d.default",
       {steps({1, 1, 2, 3}), integers({3, 4}), Value(), Value()},
       {-1.25, -1.25, 0.5, -0.5, -1.25, -1.25, 0.5, -0.5, 1.25, 1.25, 0.25, -0.75}},
      {"aten.upsample_nearest2d_backward.default",
       {steps({1, 1, 3, 4}), integers({3, 4}), integers({1, 1, 2, 3}), Value(), Value()},
       {-1.25, 0.5, 1.25, -0.25, -0.25, -1.25}},
      {"aten.upsample_linear1d.default",
       {steps({1, 1, 3}), integers({5}), Value::boolean(false), Value()},
       {-1.25, -0.55, 0.5, -0.1, -0.5}},
      {"aten.upsample_bicubic2d.default",
       {steps({1, 1, 2, 2}), integers({1, 3}), Value::boolean(true), Value(), Value()},
       {-1.25, -0.375, 0.5}},
      {"aten.reflection_pad1d.default",
       {steps({2, 4}), integers({2, 1})},
       {-0.5, 0.5, -1.25, 0.5, -0.5, 1.25, -0.5, 1, -0.75, 0.25, -0.75, 1, 0, 1}},
      {"aten.reflection_pad1d_backward.default",
       {steps({2, 7}), steps({2, 4}), integers({2, 1})},
       {-0.5, 1.75, 0, -0.75, 0.75, -1.25, -1.75, 0.5}},
      {"aten.replication_pad2d.default",
       {steps({1, 2, 2}), integers({1, 0, 0, 2})},
       {-1.25, -1.25, 0.5, -0.5, -0.5, 1.25, -0.5, -0.5, 1.25, -0.5, -0.5, 1.25}},
      {"aten.grid_sampler_2d.default",
       {steps({1, 1, 3, 3}), steps({1, 2, 2, 2}), number(0), number(1), Value::boolean(false)},
       {1.0625, 0.75, 0.125, -0.75}},
      {"aten.grid_sampler_2d_backward.default",
       {steps({1, 1, 2, 2}), steps({1, 1, 3, 3}), steps({1, 2, 2, 2}), number(0), number(0), Value::boolean(true),
        Value::list({Value::boolean(true), Value::boolean(true)})},
       {0, -0.28125, -0.09375, -0.46875, -0.09375, 1.21875, -0.28125, 0.1875, 0, -1.40625, 0.234375, -0.375, -0.25, 0.5,
        0.125, 0.9375, -0.3125}},
      {"aten.affine_grid_generator.default",
       {steps({1, 2, 3}), integers({1, 1, 2, 2}), Value::boolean(true)},
       {0.25, -2.25, -2.25, 0.25, 1.25, -1.75, -1.25, 0.75}},
      {"aten.im2col.default",
       {steps({1, 3, 3}), integers({2, 2}), integers({1, 1}), integers({0, 0}), integers({1, 1})},
       {-1.25, 0.5, 1.25, 0.25, 0.5, -0.5, 0.25, -0.75, 1.25, 0.25, 1, 0, 0.25, -0.75, 0, -1}},
      {"aten.col2im.default",
       {steps({4, 4}), integers({3, 3}), integers({2, 2}), integers({1, 1}), integers({0, 0}), integers({1, 1})},
       {-1.25, 0.75, -0.75, -1.5, 3.5, -0.5, -0.25, 0, 0.25}},
      {"aten.pixel_shuffle.default", {steps({4, 1, 2}), number(2)}, {-1.25, -0.5, 0.5, 1.25, 0.25, 1, -0.75, 0}},
  });
}

TEST(PytorchImageValues, Scatters) {
  expectEach({
      {"aten.scatter_reduce.two",
       {steps({3}), number(0), i64({3}, {0, 0, 2}), steps({3}, 2), Value::string("mean"), Value::boolean(false)},
       {0.375, 0.5, 0.25}},
      {"aten.scatter_reduce.two",
       {steps({3}), number(0), i64({3}, {0, 0, 2}), steps({3}, 2), Value::string("amax"), Value::boolean(true)},
       {1.25, 0.5, 0.25}},
      {"aten.index_fill.int_Scalar",
       {steps({2, 3}), number(1), i64({2}, {2, 0}), number(7.0)},
       {7, 0.5, 7, 7, 0.25, 7}},
      {"aten.searchsorted.Tensor",
       {f32({3}, {-1, 0, 1}), steps({5}), Value::boolean(false), Value::boolean(true)},
       {0, 2, 1, 3, 2}},
      {"aten.bucketize.Tensor", {steps({4}), f32({3}, {-1, 0.5, 1})}, {0, 1, 1, 3}},
      {"aten.roll.default",
       {steps({2, 3}), integers({1, -1}), integers({0, 1})},
       {0.25, -0.75, 1.25, 0.5, -0.5, -1.25}},
      {"aten.diag_embed.default", {steps({2}), number(1)}, {0, -1.25, 0, 0, 0, 0.5, 0, 0, 0}},
      {"aten._embedding_bag.default",
       {steps({4, 2}), i64({3}, {0, 2, 1}), i64({2}, {0, 2}), Value::boolean(false), number(1)},
       {-0.5, -0.125, -0.5, 1.25, 0, 0, 1, 2, 1, 2, 1}},
      {"aten._embedding_bag_dense_backward.default",
       {steps({2, 2}), i64({3}, {0, 2, 1}), i64({3}, {0, 0, 1}), i64({2}, {2, 1}), i64({2}, {2, 1}), number(4),
        Value::boolean(false), number(1), Value()},
       {-0.625, 0.25, -0.5, 1.25, -0.625, 0.25, 0, 0}},
  });
}

TEST(PytorchImageValues, Transforms) {
  expectEach({
      {"aten._fft_c2r.default", {asComplex(steps({3, 2})), integers({0}), number(2), number(4)}, {-0.5, -1, 0, 0.25}},
      {"aten._cdist_forward.default",
       {steps({2, 3}), steps({2, 3}, 1), number(2.0), Value()},
       {2.66927, 2.46221, 2.26385, 2.25}},
      {"aten._cdist_backward.default",
       {steps({2, 2}), steps({2, 3}), steps({2, 3}, 1), number(2.0),
        f32({2, 2}, {2.66926956, 2.46221447, 2.2638464, 2.25})},
       {0.514909, -0.214456, 0.514909, 0.389908, 0.389908, -0.530496}},
      {"aten._pdist_forward.default", {steps({3, 2}), number(1.0)}, {1.5, 2.75, 2.75}},
  });
}

TEST(PytorchImageValues, Matrices) {
  expectEach({
      {"aten.linalg_cholesky_ex.default", {f32({2, 2}, {4, 2, 2, 5})}, {2, 0, 1, 2, 0}},
      {"aten.linalg_qr.default",
       {steps({3, 2})},
       {-0.912871, 0.406239, -0.365148, -0.768161, 0.182574, 0.494873, 1.36931, -1.0498, 0, -1.12824}},
      {"aten.linalg_lu_factor_ex.default",
       {steps({3, 3})},
       {-1.25, 0.5, -0.5, -1, 0.75, -1.25, -0.8, 0.533333, -0.733333, 1, 2, 3, 0}},
      {"aten._linalg_solve_ex.default",
       {steps({2, 2}), steps({2})},
       {1.38095, 0.952381, -1.25, 0.5, 0.4, 1.05, 1, 2, 0}},
      {"aten._linalg_slogdet.default",
       {steps({3, 3})},
       {1, -0.374693, -1.25, 1.25, 1, 0.4, -1.25, -1.4, -0.4, -0.6, -0.44, 1, 3, 3}},
      {"aten.linalg_inv_ex.default", {steps({2, 2})}, {-0.952381, 0.380952, -0.380952, 0.952381, 0}},
      {"aten.linalg_solve_triangular.default",
       {steps({2, 2}), steps({2, 2}, 3), Value::boolean(true)},
       {-1.24, 0.12, -0.6, 0.8}},
  });
}

TEST(PytorchImageValues, FurtherLosses) {
  expectEach({
      {"aten.binary_cross_entropy.default",
       {f32({3}, {0.25, 0.5, 1}), f32({3}, {1, 0, 0.5}), Value(), number(1)},
       {17.3598}},
      {"aten.binary_cross_entropy_with_logits.default",
       {steps({3}), f32({3}, {1, 0, 0.5}), Value(), steps({3}, 1), number(0)},
       {0.750965, 0.974077, 0.845837}},
      {"aten.huber_loss.default",
       {steps({4}), steps({4}, 3), number(0), number(0.5)},
       {1.125, 0.03125, 0.03125, 0.03125}},
      {"aten.huber_loss_backward.default",
       {steps({4}), steps({4}, 1), steps({4}, 5), number(1), number(0.5)},
       {-0.15625, -0.0625, -0.0625, 0.15625}},
      {"aten.soft_margin_loss.default", {steps({3}), steps({3}, 2), number(2)}, {1.615}},
      {"aten.nll_loss2d_forward.default",
       {steps({1, 2, 1, 2}), i64({1, 1, 2}, {1, 0}), Value(), number(1), number(-100)},
       {0, 2}},
      {"aten.multi_margin_loss.default",
       {steps({2, 3}), i64({2}, {2, 0}), number(2), number(1.0), Value(), number(1)},
       {0.677083}},
      {"aten._ctc_loss.default",
       {f32({4, 1, 3}, {-2.18285561, -0.432855487, -1.43285549, -0.407605946, -1.40760589, -2.40760589, -0.407605946,
                        -1.40760589, -2.40760589, -0.407605946, -1.40760589, -2.40760589}),
        i64({1, 2}, {1, 2}), integers({4}), integers({2})},
       {2.16641,  -2.18286,  -0.432855, -INFINITY, -INFINITY, -INFINITY, -2.59046,
        -1.68024, -0.840461, -2.84046,  -INFINITY, -2.99807,  -2.74963,  -0.88913,
        -2.79881, -3.24807,  -3.40567,  -3.58061,  -1.15212,  -3.03151,  -2.71288}},
  });
}

TEST(PytorchImageValues, FurtherActivations) {
  expectEach({
      {"aten.glu.default", {steps({2, 4}), number(1)}, {-0.471926, 0.38865, 0.182765, -0.375}},
      {"aten.glu_backward.default",
       {steps({2, 2}), steps({2, 4}), number(1)},
       {-0.471926, 0.38865, 0.367193, 0.0432762, -0.365529, 0.625, -0.0245765, -0.234375}},
      {"aten.hardswish_backward.default", {steps({4}), f32({4}, {-3, -1, 2, 3})}, {0, 0.0833333, -0.583333, 1.25}},
      {"aten.softshrink.default", {steps({4}), number(0.75)}, {-0.5, 0, -0, 0.5}},
      {"aten.celu.default", {steps({3}), number(2.0)}, {-0.929477, 0.5, -0.442398}},
      {"aten.log_sigmoid_backward.default",
       {steps({2}), steps({2}, 1), f32({2}, {0.606530666, 0.606530666})},
       {-0.471926, 0.31123}},
      {"aten.polygamma.default", {number(2), f32({2}, {0.5, 3})}, {-16.8288, -0.154114}},
      {"aten.i0.default", {steps({3})}, {1.43047, 1.06348, 1.06348}},
      {"aten.special_i1.default", {steps({3})}, {-0.755281, 0.257894, -0.257894}},
      {"aten.logit.default", {f32({2}, {0.25, 1}), number(0.125)}, {-1.09861, 1.94591}},
  });
}

TEST(PytorchImageValues, WrongArgumentsAreRefused) {
  for (const Case &wrong :
       {Case{"aten.reflection_pad1d.default", {steps({2, 3}), integers({3, 0})}, {}},
        Case{
            "aten.scatter_reduce.two", {steps({3}), number(0), i64({1}, {0}), steps({1}), Value::string("median")}, {}},
        Case{"aten.binary_cross_entropy.default", {f32({1}, {2}), f32({1}, {1})}, {}},
        Case{"aten.grid_sampler_2d.default",
             {steps({1, 1, 2, 2}), steps({1, 2, 2, 3}), number(0), number(0), Value::boolean(true)},
             {}},
        Case{"aten.linalg_qr.default", {steps({3})}, {}},
        Case{"aten._embedding_bag_dense_backward.default",
             {steps({2, 2}), i64({3}, {0, 2, 1}), i64({3}, {0, 0, 1}), i64({1}, {2}), i64({1}, {2}), number(4),
              Value::boolean(false), number(1), Value()},
             {}},
        Case{"aten._linalg_check_errors.default",
             {tensor(DType::I32, {}, {2}), Value::string("linalg.cholesky"), Value::boolean(true)},
             {}}}) {
    const Kernel *kernel = findKernel(wrong.target);
    ASSERT_NE(kernel, nullptr) << wrong.target;
    llvm::Expected<Value> result = runKernel(*kernel, {wrong.arguments, {}});
    ASSERT_FALSE(bool(result)) << wrong.target;
    EXPECT_NE(llvm::toString(result.takeError()).find("got "), std::string::npos) << wrong.target;
  }
}

} // namespace
} // namespace ccgraph::runtime::testing
