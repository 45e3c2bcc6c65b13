// Vocabulary: from words to vectors, and from vectors to the loss. Each tensor rank has some words of the vocabulary, so both
// know which: the program is then one rank's, and the rank is one of its guards.
//
// Ownership and failure: as of blocks.h. Cost: some tens of recorded nodes.
#pragma once

#include "models/blocks.h"

namespace ccgraph::models {

/// Tokens i64[batch, sequence] -> the rows of the table, [batch, a part of the sequence, dim].
[[nodiscard]] Tensor embeddedTokens(const Block &block, const Parameter &table, const Tensor &tokens);

/// Sum over tokens of the negative log-likelihood of targets i64[n] under softmax(logits), f32[n, words of this rank].
/// With several tensor ranks each has the whole sum, and its gradient for its own words: computed from three
/// all_reduces of a number a token (the largest logit, the sum of exponentials, the target's logit).
[[nodiscard]] Tensor crossEntropySum(const Block &block, const Tensor &logits, const Tensor &targets);

} // namespace ccgraph::models
