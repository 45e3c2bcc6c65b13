#include "models/vocabulary.h"

#include "ccgraph/tracer/autograd_function.h"
#include "ccgraph/tracer/collectives.h"
#include "ccgraph/tracer/ops.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words
using collectives::all_reduce;

namespace {

/// The words of the vocabulary that this tensor rank has.
struct Words {
  int64_t first = 0;
  int64_t count = 0;
};

Words wordsOfThisRank(int64_t count) { return {Layout::tensorRank() * count, count}; }

/// Words of other ranks have index 0 here and are marked in `foreign`.
struct OwnWords {
  Tensor index;
  Tensor foreign;
};

OwnWords ownWords(const Tensor &words, Words own) {
  Tensor shifted = words - own.first;
  Tensor foreign = logical_or(lt(shifted, 0), ge(shifted, own.count));
  return {masked_fill(shifted, foreign, 0), foreign};
}

constexpr int64_t sumReduction = 2;
constexpr int64_t ignoreNothing = -100;

Tensor wholeVocabularyLoss(const Tensor &logits, const Tensor &targets) {
  return callList("aten.nll_loss_forward.default",
                  {log_softmax(logits, 1), targets, Tensor(), sumReduction, ignoreNothing})[0];
}

/// Returns the log-probabilities of this rank's words, f32[n, words].
Tensor logProbabilities(const Tensor &logits) {
  Tensor shifted = logits - all_reduce(amax(logits, {-1}, true), "max", "tp");
  return shifted - log(all_reduce(sum(exp(shifted), {-1}, true), "sum", "tp"));
}

/// Returns the softmax, minus one at the target, times the gradient of the loss.
Tensor lossGradient(const Tensor &logProbability, const OwnWords &targets, const Tensor &gradient) {
  Tensor isHere = to(logical_not(targets.foreign), DType::F32);
  Tensor place = unsqueeze(targets.index, 1);
  Tensor likelihood = exp(logProbability);
  return scatter_add(likelihood, 1, place, unsqueeze(-isHere, 1)) * gradient;
}

} // namespace

Tensor embeddedTokens(const Block &block, const Parameter &table, const Tensor &tokens) {
  Tensor rows = block.layout.gather(table);
  if (block.layout.tensorRanks() == 1)
    return embedding(tokens, rows);
  OwnWords own = ownWords(tokens, wordsOfThisRank(rows.size(0)));
  return block.layout.scatterSequence(masked_fill(embedding(own.index, rows), unsqueeze(own.foreign, -1), 0));
}

Tensor crossEntropySum(const Block &block, const Tensor &logits, const Tensor &targets) {
  if (block.layout.tensorRanks() == 1)
    return wholeVocabularyLoss(logits, targets);
  OwnWords own = ownWords(targets, wordsOfThisRank(logits.size(-1)));
  auto logProbability = std::make_shared<Tensor>();
  auto forward = [=](const Tensor &input) {
    *logProbability = logProbabilities(input);
    Tensor ofTarget = squeeze(gather(*logProbability, 1, unsqueeze(own.index, 1)), 1);
    return -sum(all_reduce(masked_fill(ofTarget, own.foreign, 0), "sum", "tp"));
  };
  return apply({forward, [=](const Tensor &gradient) { return lossGradient(*logProbability, own, gradient); }}, logits);
}

} // namespace ccgraph::models
