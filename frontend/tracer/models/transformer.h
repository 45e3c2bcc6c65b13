// Records the forward pass of a model up to the hidden states, from which the losses are computed.
//
// Ownership: refers to layout and model. Failure: see tensor.h. Cost: some tens of recorded nodes a layer.
#pragma once

#include "models/blocks.h"

namespace ccgraph::models {

struct Hidden {
  /// after the last norm: [batch, sequence, dim]
  Tensor states;
  /// the parameter whose rows give the logits
  const Parameter *output = nullptr;
};

/// `tokens` is i64[batch, sequence].
[[nodiscard]] Hidden forward(Layout &layout, const ModelConfig &model, const BatchShape &shape, const Tensor &tokens);

/// Returns the sum of a piece's losses: states [batch, n, dim], targets i64[batch, n].
[[nodiscard]] Tensor lossSum(const Block &block, const Tensor &logitsWeight, const Tensor &states,
                             const Tensor &targets);

} // namespace ccgraph::models
