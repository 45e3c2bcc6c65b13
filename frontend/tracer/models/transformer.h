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

/// The layers of a model that one stage of a pipeline has. The first part also embeds the tokens, and the last part
/// normalizes the states.
struct ModelPart {
  int64_t firstLayer = 0;
  int64_t endLayer = 0;
  bool isFirst = true;
  bool isLast = true;
};
/// Layers are distributed evenly: stage s of S has layers s * L / S up to (s + 1) * L / S.
[[nodiscard]] ModelPart partOfStage(const ModelConfig &model, int64_t stage, int64_t stages);

/// Runs one part: from tokens i64[batch, sequence] if it is the first, else from states [batch, this rank's part of the
/// sequence, dim]; to states of the same form, of the whole sequence if it is the last. `block` has the rotary table.
[[nodiscard]] Tensor partForward(const Block &block, const ModelPart &part, const Tensor &input);
/// The parameter whose rows give the logits, of a model without tied weights.
[[nodiscard]] const Parameter &outputMatrix(const Block &block);
/// Returns a block with the rotary table of the model, if it has rotary positions.
[[nodiscard]] Block blockOf(Layout &layout, const ModelConfig &model, const BatchShape &shape);

/// `tokens` is i64[batch, sequence].
[[nodiscard]] Hidden forward(Layout &layout, const ModelConfig &model, const BatchShape &shape, const Tensor &tokens);

/// Returns the sum of a piece's losses: states [batch, n, dim], targets i64[batch, n].
[[nodiscard]] Tensor lossSum(const Block &block, const Tensor &logitsWeight, const Tensor &states,
                             const Tensor &targets);

} // namespace ccgraph::models
