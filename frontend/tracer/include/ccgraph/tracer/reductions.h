// Reductions: sums, means, extremes, and operators that normalise by them along a dimension.
//
// Without dimensions all elements are reduced to one. Failure: see tensor.h. Cost: one call each.
#pragma once

#include "ccgraph/tracer/call.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::tracer {

/// The sum of integers or bools is i64.
[[nodiscard]] Tensor sum(const Tensor &self);
[[nodiscard]] Tensor sum(const Tensor &self, const std::vector<int64_t> &dim, bool keepdim = false);
[[nodiscard]] Tensor mean(const Tensor &self);
[[nodiscard]] Tensor mean(const Tensor &self, const std::vector<int64_t> &dim, bool keepdim = false);
[[nodiscard]] Tensor amax(const Tensor &self, const std::vector<int64_t> &dim = {}, bool keepdim = false);
[[nodiscard]] Tensor amin(const Tensor &self, const std::vector<int64_t> &dim = {}, bool keepdim = false);
/// Returns the index of the largest element along a dimension.
[[nodiscard]] Tensor argmax(const Tensor &self, int64_t dim, bool keepdim = false);
/// Returns variance and mean, over n - correction.
[[nodiscard]] TensorList var_mean(const Tensor &self, const std::vector<int64_t> &dim, int64_t correction = 1,
                                  bool keepdim = false);
[[nodiscard]] Tensor cumsum(const Tensor &self, int64_t dim);
[[nodiscard]] Tensor softmax(const Tensor &self, int64_t dim);
[[nodiscard]] Tensor log_softmax(const Tensor &self, int64_t dim);

} // namespace ccgraph::tracer
// NOLINTEND(readability-identifier-naming)
