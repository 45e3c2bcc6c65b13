// The blocks of a transformer are functions of tensors. Each block declares its weights in the current module and is
// written as for one rank; Layout determines which part of a weight each rank has.
//
// A block receives and returns this rank's part of the sequence. Inside the block, the rank has the whole sequence and
// its own part of the heads and features. Weights have PyTorch's layout: [out, in].
//
// Ownership: the caller owns the parts of a Block. Failure: see tensor.h. Cost: some tens of recorded nodes each.
#pragma once

#include "models/layout.h"

namespace ccgraph::models {

/// The cosine and sine of the angle for each position and pair of features: f32[sequence, 1, features / 2] (J. Su et
/// al., "RoFormer", 2021).
struct RotaryTable {
  Tensor cos;
  Tensor sin;
};

/// The arguments that all blocks of a model share.
struct Block {
  Layout &layout;
  const ModelConfig &model;
  BatchShape shape;
  /// absent if positions are learned
  RotaryTable rotary = {};
};

/// Declares the matrix "weight" of the current module, and multiplies the input by its transpose.
[[nodiscard]] Tensor weightProduct(const Block &block, const Tensor &input, int64_t features,
                                   WeightKind kind = WeightKind::Split);
/// Multiplies the input by weight^T, and adds a bias if the model has biases; the result is split like the rows of the
/// weight.
[[nodiscard]] Tensor projection(const Block &block, const std::string &name, const Tensor &input, int64_t features);
/// Projects features that are split over the tensor ranks, and returns this rank's part of the sequence of the sum. The
/// bias is added to the sum.
[[nodiscard]] Tensor rowProjection(const Block &block, const std::string &name, const Tensor &input, int64_t features);

/// Applies the model's kind of norm over the last dimension.
[[nodiscard]] Tensor normalized(const Block &block, const std::string &name, const Tensor &input);

/// `sequence` is the number of this rank's tokens of a sequence.
[[nodiscard]] RotaryTable rotaryTable(const Layout &layout, int64_t sequence, int64_t features, double theta);
/// Rotates each pair (i, i + features / 2) of [batch, sequence, heads, features] by its angle.
[[nodiscard]] Tensor rotated(const Tensor &input, const RotaryTable &table);

/// Queries, keys and values of this rank's tokens.
struct AttentionInputs {
  Tensor query;
  Tensor key;
  Tensor value;
};
/// Computes softmax(q k^T) v, causal, of the whole sequence; each tensor is [batch, sequence, heads, features].
[[nodiscard]] Tensor causalAttention(const Block &block, const AttentionInputs &inputs);
/// Computes the same of [batch, heads, sequence, features] where each rank of cp has two pieces of the sequence. Keys
/// and values are gathered over the ranks. The attention to the keys of each rank is added by its sums, as in PyTorch's
/// context_parallel. The gradients of keys and values are reduce_scattered.
[[nodiscard]] Tensor contextAttention(const Block &block, const AttentionInputs &inputs);
[[nodiscard]] Tensor selfAttention(const Block &block, const Tensor &input);
/// Computes attention whose keys and values are projected from one short vector a token (DeepSeek-AI, "DeepSeek-V2",
/// 2024).
[[nodiscard]] Tensor latentAttention(const Block &block, const Tensor &input);

/// Computes w2(silu(w1 x) * w3 x), or proj(gelu(fc x)), of the whole sequence, and returns this rank's part.
[[nodiscard]] Tensor feedForward(const Block &block, const Tensor &input, int64_t hidden);
/// Sends each token to a subset of the experts. The choice is not learned: the places of token t go to the experts in
/// turn, so that each expert gets the same number (docs/generator.md explains why).
[[nodiscard]] Tensor mixtureOfExperts(const Block &block, const Tensor &input);

} // namespace ccgraph::models
