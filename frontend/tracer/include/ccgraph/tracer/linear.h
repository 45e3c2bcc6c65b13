// The matmul family.
//
// matmul and linear are recorded in the form into which PyTorch's compiler decomposes them: mm, addmm and bmm with the
// views around them. Failure: see tensor.h. Cost: mm, addmm and bmm one call, the others up to six.
#pragma once

#include "ccgraph/tracer/call.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::tracer {

/// f32[m, k] x f32[k, n] -> f32[m, n]
[[nodiscard]] Tensor mm(const Tensor &self, const Tensor &mat2);
/// self + mat1 x mat2; self may be a row.
[[nodiscard]] Tensor addmm(const Tensor &self, const Tensor &mat1, const Tensor &mat2);
/// One product for each pair of matrices: f32[b, m, k] x f32[b, k, n] -> f32[b, m, n]
[[nodiscard]] Tensor bmm(const Tensor &self, const Tensor &mat2);
/// Multiplies matrices in the last two dimensions and broadcasts the dimensions before; both tensors have two
/// dimensions or more.
[[nodiscard]] Tensor matmul(const Tensor &self, const Tensor &other);
/// input x weight^T + bias: f32[..., k], weight f32[n, k] -> f32[..., n]
[[nodiscard]] Tensor linear(const Tensor &input, const Tensor &weight, const Tensor &bias = Tensor());

} // namespace ccgraph::tracer
// NOLINTEND(readability-identifier-naming)
