// Multiplies by a weight in float8, forward and backward.
//
// All three products of a linear layer are of float8 numbers (float8.h): the result, the gradient of the input, and
// the gradient of the weight. A weight that is divided over ranks is gathered as float8 numbers, half the bytes of
// bf16, and its scale is that of the largest element on all these ranks (Layout::gatherFloat8).
//
// Ownership: refers to the layout until the gradients are recorded. Failure: see tensor.h. Cost: some forty recorded
// nodes with the gradient.
#pragma once

#include "models/layout.h"
#include "models/training_step.h"

namespace ccgraph::models {

/// input x weight^T: [..., k], weight [n, k] -> [..., n], in the dtype of the layout.
[[nodiscard]] Tensor float8Linear(Layout &layout, const Tensor &input, const Parameter &weight);

/// Returns an error if the request has products of float8 numbers that PyTorch cannot compute: all sizes of a product
/// must be multiples of 16, and the dtype of its result is at most f32.
[[nodiscard]] llvm::Error checkFloat8(const GenerateRequest &request);

} // namespace ccgraph::models
