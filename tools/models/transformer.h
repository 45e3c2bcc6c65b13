// Transformer: the program of a model's forward pass, up to what its losses are computed from.
//
// Ownership: refers to layout and model. Failure: as tensor.h says. Cost: some tens of recorded nodes a layer.
#pragma once

#include "models/blocks.h"

namespace ccgraph::models {

struct Hidden {
  /// after the last norm: [batch, sequence, dim]
  Tensor states;
  /// whose rows the logits are made with
  const Parameter *output = nullptr;
};

/// `tokens`: i64[batch, sequence].
[[nodiscard]] Hidden forward(Layout &layout, const ModelConfig &model, const BatchShape &shape, const Tensor &tokens);

/// Sum of a piece's losses: states [batch, n, dim], targets i64[batch, n].
[[nodiscard]] Tensor lossSum(const Block &block, const Tensor &logitsWeight, const Tensor &states,
                             const Tensor &targets);

} // namespace ccgraph::models
