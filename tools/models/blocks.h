// Blocks of a transformer, as functions of tensors. Each declares its weights in the module that is open and is written as
// on one rank; what of it another rank has, Layout knows.
//
// A block takes the sequence's part that this rank has and gives back that part; within, all of the sequence is there, and
// of heads and features this rank's. Weights have PyTorch's layout: [out, in].
//
// Ownership: a Block's parts belong to the caller. Failure: as tensor.h says. Cost: some tens of recorded nodes each.
#pragma once

#include "models/layout.h"

namespace ccgraph::models {

/// cos and sin of the angle of each position and pair of features: f32[sequence, 1, features / 2] (J. Su et al.,
/// "RoFormer", 2021).
struct RotaryTable {
  Tensor cos;
  Tensor sin;
};

/// What all blocks of a model are given.
struct Block {
  Layout &layout;
  const ModelConfig &model;
  BatchShape shape;
  /// absent where positions are learned
  RotaryTable rotary = {};
};

/// input weight^T, and a bias where the model has biases: split like the weight's rows.
[[nodiscard]] Tensor projection(const Block &block, const std::string &name, const Tensor &input, int64_t features);
/// Of features of which each tensor rank has its own: the sum's part of the sequence. The bias is added to the sum.
[[nodiscard]] Tensor rowProjection(const Block &block, const std::string &name, const Tensor &input, int64_t features);

/// By the model's kind of norm, over the last dimension.
[[nodiscard]] Tensor normalized(const Block &block, const std::string &name, const Tensor &input);

[[nodiscard]] RotaryTable rotaryTable(int64_t sequence, int64_t features, double theta, const std::string &device);
/// [batch, sequence, heads, features], each pair (i, i + features / 2) turned by its angle.
[[nodiscard]] Tensor rotated(const Tensor &input, const RotaryTable &table);

/// softmax(q k^T) v, causal: [batch, sequence, heads, features] each.
[[nodiscard]] Tensor causalAttention(const Tensor &query, const Tensor &key, const Tensor &value);
[[nodiscard]] Tensor selfAttention(const Block &block, const Tensor &input);
/// With keys and values that come of one short vector a token (DeepSeek-AI, "DeepSeek-V2", 2024).
[[nodiscard]] Tensor latentAttention(const Block &block, const Tensor &input);

/// w2(silu(w1 x) * w3 x), or proj(gelu(fc x)): of the whole sequence, whose part comes back.
[[nodiscard]] Tensor feedForward(const Block &block, const Tensor &input, int64_t hidden);
/// A part of the experts for each token. Which ones is not learned: token t's places go to the experts in turn, so that
/// each has as many (docs/generator.md says why).
[[nodiscard]] Tensor mixtureOfExperts(const Block &block, const Tensor &input);

} // namespace ccgraph::models
