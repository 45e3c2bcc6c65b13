// Building blocks of networks: norms, embedding, attention, losses; and new tensors.
//
// Composites are recorded in the form into which PyTorch's compiler decomposes them. Failure: see tensor.h. Cost:
// documented where it is more than one call.
#pragma once

#include "ccgraph/tracer/call.h"

#include <optional>
#include <string>

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::tracer {

/// (input - mean) / sqrt(variance + eps) over the last dimensions, of these sizes; then times weight, plus bias.
[[nodiscard]] Tensor layer_norm(const Tensor &input, const std::vector<int64_t> &normalized_shape,
                                const Tensor &weight = Tensor(), const Tensor &bias = Tensor(), double eps = 1e-5);
/// input / sqrt(mean of squares + eps) over the last dimensions, of these sizes; then times weight. Six calls.
[[nodiscard]] Tensor rms_norm(const Tensor &input, const std::vector<int64_t> &normalized_shape,
                              const Tensor &weight = Tensor(), double eps = 1e-6);
/// Returns the rows of weight that input, of integers, selects. As in torch.nn.functional, input comes first. The row
/// `padding_idx`, counted from the end where negative, receives no gradient. With `scale_grad_by_freq`, a row's
/// gradient is divided by the number of its occurrences.
[[nodiscard]] Tensor embedding(const Tensor &input, const Tensor &weight,
                               std::optional<int64_t> padding_idx = std::nullopt, bool scale_grad_by_freq = false);
/// softmax(query key^T * scale + mask) value over the last two dimensions, by its formula: f32[..., l, e] each. A
/// floating-point `attn_mask` is added; a bool one excludes the positions that are false. `dropout_p` is the share of
/// weights that is dropped at random. Causal: position i attends to positions up to i; not together with a mask.
/// `scale` defaults to 1/sqrt(e). About ten calls.
[[nodiscard]] Tensor scaled_dot_product_attention(const Tensor &query, const Tensor &key, const Tensor &value,
                                                  const Tensor &attn_mask = Tensor(), double dropout_p = 0.0,
                                                  bool is_causal = false, std::optional<double> scale = std::nullopt);
struct CrossEntropyOptions {
  /// weight of each class, f32[c]; absent: all are equal
  Tensor weight = Tensor();
  /// rows with this target are ignored
  int64_t ignore_index = -100;
  /// "mean" (weighted by the rows' weights), "sum", or "none": one loss a row
  std::string reduction = "mean";
};
/// Returns the negative log-likelihood of target, i64[n], under softmax(input), f32[n, c]. Two calls.
[[nodiscard]] Tensor cross_entropy(const Tensor &input, const Tensor &target, const CrossEntropyOptions &options = {});
/// Returns the mean of the squared difference.
[[nodiscard]] Tensor mse_loss(const Tensor &input, const Tensor &target);

[[nodiscard]] Tensor zeros(const std::vector<int64_t> &size, DType dtype = DType::F32,
                           const std::string &device = "cpu");
[[nodiscard]] Tensor ones(const std::vector<int64_t> &size, DType dtype = DType::F32,
                          const std::string &device = "cpu");
[[nodiscard]] Tensor full(const std::vector<int64_t> &size, const Number &value, DType dtype = DType::F32,
                          const std::string &device = "cpu");
/// 0, 1, ... end - 1.
[[nodiscard]] Tensor arange(int64_t end, DType dtype = DType::I64, const std::string &device = "cpu");
[[nodiscard]] Tensor zeros_like(const Tensor &self);
[[nodiscard]] Tensor ones_like(const Tensor &self);

} // namespace ccgraph::tracer
// NOLINTEND(readability-identifier-naming)
