// Maps words to vectors, and vectors to the loss. Each tensor rank has some words of the vocabulary, and the program
// contains which words these are. So it is the program of one rank, and the rank is one of its guards.
//
// Ownership and failure: see blocks.h. Cost: some tens of recorded nodes.
#pragma once

#include "models/blocks.h"

namespace ccgraph::models {

/// Looks up tokens i64[batch, sequence] in the table: [batch, a part of the sequence, dim].
[[nodiscard]] Tensor embeddedTokens(const Block &block, const Parameter &table, const Tensor &tokens);

/// Returns the sum over tokens of the negative log-likelihood of targets i64[n] under softmax(logits), f32[n, words of
/// this rank]. With several tensor ranks, each has the whole sum and the gradient for its own words. The sum is
/// computed with three all_reduces of one number a token (the largest logit, the sum of exponentials, the target's
/// logit).
[[nodiscard]] Tensor crossEntropySum(const Block &block, const Tensor &logits, const Tensor &targets);

} // namespace ccgraph::models
