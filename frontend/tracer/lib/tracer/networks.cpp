#include "ccgraph/tracer/networks.h"

#include "ccgraph/tracer/elementwise.h"
#include "ccgraph/tracer/linear.h"
#include "ccgraph/tracer/reductions.h"
#include "ccgraph/tracer/views.h"
#include "tracer/mode.h"

#include "ccgraph/ir/device.h"

#include <cmath>
#include <limits>

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::tracer {
namespace {

/// Returns the keyword arguments of a factory, in the order of PyTorch's graphs.
std::vector<NamedOperand> options(DType dtype, const std::string &device) {
  return {{"dtype", dtype}, {"device", DeviceName{device}}, {"pin_memory", false}};
}

std::vector<int64_t> lastDims(size_t count) {
  std::vector<int64_t> dims;
  for (size_t i = count; i != 0; --i)
    dims.push_back(-static_cast<int64_t>(i));
  return dims;
}

/// Sets the scores of later positions to minus infinity, so that their softmax is 0.
Tensor withoutFuture(const Tensor &scores) {
  Tensor seen = tril(full({scores.size(-2), scores.size(-1)}, true, DType::Bool, deviceText(scores.device())));
  return masked_fill(scores, logical_not(seen), -std::numeric_limits<double>::infinity());
}

Tensor masked(const Tensor &scores, const Tensor &mask) {
  if (mask.dtype() != DType::Bool)
    return scores + mask;
  return masked_fill(scores, logical_not(mask), -std::numeric_limits<double>::infinity());
}

/// Returns the number of a reduction in operators.
std::optional<int64_t> reductionNumber(llvm::StringRef name) {
  if (name == "none")
    return 0;
  if (name == "mean")
    return 1;
  return name == "sum" ? std::optional<int64_t>(2) : std::nullopt;
}

/// Returns why a table of these sizes has no such row; empty where it has one.
std::string wrongPadding(int64_t index, int64_t rows) {
  return index < -rows || index >= rows ? "Padding_idx must be within num_embeddings: got " + std::to_string(index) +
                                              " for " + std::to_string(rows) + " rows"
                                        : "";
}

} // namespace

Tensor layer_norm(const Tensor &input, const std::vector<int64_t> &normalized_shape, const Tensor &weight,
                  const Tensor &bias, double eps) {
  return callList("aten.native_layer_norm.default", {input, normalized_shape, weight, bias, eps})[0];
}

Tensor rms_norm(const Tensor &input, const std::vector<int64_t> &normalized_shape, const Tensor &weight, double eps) {
  Tensor squares = mean(pow(input, 2), lastDims(normalized_shape.size()), true);
  Tensor normalized = input * rsqrt(squares + eps);
  return weight.isAbsent() ? normalized : normalized * weight;
}

Tensor embedding(const Tensor &input, const Tensor &weight, std::optional<int64_t> padding_idx,
                 bool scale_grad_by_freq) {
  if (!weight.isValid() || (!padding_idx && !scale_grad_by_freq))
    return call("aten.embedding.default", {weight, input});
  if (std::string wrong = padding_idx ? wrongPadding(*padding_idx, weight.size(0)) : ""; !wrong.empty())
    return detail::fail(detail::problem("trace.padding", "embedding", wrong));
  constexpr int64_t nothing = -1;
  int64_t index = padding_idx.value_or(nothing);
  if (padding_idx && index < 0)
    index += weight.size(0);
  if (!scale_grad_by_freq)
    return call("aten.embedding.default", {weight, input, index});
  return call("aten.embedding.default", {weight, input, index, true});
}

Tensor scaled_dot_product_attention(const Tensor &query, const Tensor &key, const Tensor &value,
                                    const Tensor &attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale) {
  if (is_causal && !attn_mask.isAbsent())
    return detail::fail(detail::problem("trace.attention", "scaled_dot_product_attention",
                                        "Explicit attn_mask should not be set when is_causal=True",
                                        "leave one of them out"));
  double factor = scale.value_or(1 / std::sqrt(static_cast<double>(std::max<int64_t>(query.size(-1), 1))));
  Tensor scores = matmul(query, transpose(key, -2, -1)) * factor;
  if (!attn_mask.isAbsent())
    scores = masked(scores, attn_mask);
  Tensor weights = softmax(is_causal && scores.isValid() ? withoutFuture(scores) : scores, -1);
  if (dropout_p > 0)
    weights = callList("aten.native_dropout.default", {weights, dropout_p, true})[0];
  return matmul(weights, value);
}

Tensor cross_entropy(const Tensor &input, const Tensor &target, const CrossEntropyOptions &options) {
  std::optional<int64_t> reduction = reductionNumber(options.reduction);
  if (!reduction)
    return detail::fail(detail::problem("trace.reduction", "cross_entropy",
                                        options.reduction + " is not a valid value for reduction",
                                        "\"mean\", \"sum\" or \"none\""));
  return callList("aten.nll_loss_forward.default",
                  {log_softmax(input, 1), target, options.weight, *reduction, options.ignore_index})[0];
}

Tensor mse_loss(const Tensor &input, const Tensor &target) { return call("aten.mse_loss.default", {input, target}); }

Tensor zeros(const std::vector<int64_t> &size, DType dtype, const std::string &device) {
  return call("aten.zeros.default", {size}, options(dtype, device));
}
Tensor ones(const std::vector<int64_t> &size, DType dtype, const std::string &device) {
  return call("aten.ones.default", {size}, options(dtype, device));
}
Tensor full(const std::vector<int64_t> &size, const Number &value, DType dtype, const std::string &device) {
  return call("aten.full.default", {size, value}, options(dtype, device));
}
Tensor arange(int64_t end, DType dtype, const std::string &device) {
  return call("aten.arange.default", {end}, options(dtype, device));
}
Tensor zeros_like(const Tensor &self) { return call("aten.zeros_like.default", {self}); }
Tensor ones_like(const Tensor &self) { return call("aten.ones_like.default", {self}); }

} // namespace ccgraph::tracer
// NOLINTEND(readability-identifier-naming)
