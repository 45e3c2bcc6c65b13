#include "models/blocks.h"

#include "ccgraph/ir/device.h"
#include "ccgraph/tracer/autograd_function.h"
#include "ccgraph/tracer/collectives.h"
#include "ccgraph/tracer/ops.h"

#include <memory>

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

namespace {

constexpr int64_t tokenDim = 2; // of [batch, heads, tokens, features]

/// Returns the first (0) or the second (1) piece of the tokens of a rank.
Tensor piece(const Tensor &tokens, int64_t which) {
  const int64_t count = tokens.size(tokenDim) / 2;
  return slice(tokens, tokenDim, which * count, (which + 1) * count);
}

/// Returns the tokens with another piece.
Tensor withPiece(const Tensor &tokens, int64_t which, const Tensor &changed) {
  const int64_t count = tokens.size(tokenDim) / 2;
  return call("aten.slice_scatter.default", {tokens, changed, tokenDim, which * count, (which + 1) * count});
}

/// Attention of one piece of this rank's queries to one piece of the keys of another rank.
struct Pair {
  int64_t source = 0;
  int64_t queries = 0;
  int64_t keys = 0;
};

/// Returns the pairs that causal attention does not hide, of the other ranks backwards, in the order in which a ring
/// would bring the keys. All queries come after the first piece of an earlier rank, and the second piece of the queries
/// comes after both pieces of a later rank. So there are two pairs for each rank, and programs of different ranks
/// differ only in the numbers of the pieces.
std::vector<Pair> pairsOf(int64_t rank, int64_t ranks) {
  std::vector<Pair> pairs;
  for (int64_t i = 1; i != ranks; ++i) {
    const int64_t source = (rank - i + ranks) % ranks, other = source < rank ? 0 : 1;
    pairs.push_back({source, 1, 0});
    pairs.push_back({source, other, other});
  }
  return pairs;
}

/// Results of one call of flash attention.
struct Attended {
  Tensor output;
  /// the logarithm of the sum of exponentials: [batch, heads, tokens]
  Tensor logSums;
  /// on a GPU: the state of the random numbers
  Tensor seed, offset;
  bool isCausal = false;
};

bool isOnCpu(const Tensor &tensor) { return deviceText(tensor.device()) == "cpu"; }

Attended attend(const AttentionInputs &in, bool isCausal) {
  if (isOnCpu(in.query)) {
    TensorList all = callList("aten._scaled_dot_product_flash_attention_for_cpu.default",
                              {in.query, in.key, in.value, 0.0, isCausal});
    return {all[0], all[1], {}, {}, isCausal};
  }
  TensorList all =
      callList("aten._scaled_dot_product_flash_attention.default", {in.query, in.key, in.value, 0.0, isCausal});
  return {all[0], all[1], all[6], all[7], isCausal};
}

/// Returns the gradients of query, key and value. `of` has the output and the sums of all parts together, so the
/// probabilities are those of the whole sequence.
TensorList attendBackward(const Tensor &gradient, const AttentionInputs &in, const Attended &of, bool isCausal) {
  if (isOnCpu(in.query))
    return callList("aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
                    {gradient, in.query, in.key, in.value, of.output, of.logSums, 0.0, isCausal});
  return callList("aten._scaled_dot_product_flash_attention_backward.default",
                  {gradient, in.query, in.key, in.value, of.output, of.logSums, Actual::none(), Actual::none(),
                   in.query.size(tokenDim), in.key.size(tokenDim), 0.0, isCausal, of.seed, of.offset});
}

/// Output and sums in f32: [batch, heads, tokens, features] and [batch, heads, tokens, 1].
struct Merged {
  Tensor output;
  Tensor logSums;
};

Merged inF32(const Attended &part) { return {to(part.output, DType::F32), unsqueeze(part.logSums, -1)}; }

/// Adds the attention to further keys: with s = sigmoid(l' - l), the output is o - s (o - o'), and the sum is l - log
/// sigmoid(l - l').
Merged merged(const Merged &a, const Merged &b) {
  Tensor weight = sigmoid(b.logSums - a.logSums);
  Tensor output = a.output - weight * (a.output - b.output);
  Tensor logs = callList("aten.log_sigmoid_forward.default", {a.logSums - b.logSums})[0];
  return {output, a.logSums - logs};
}

class ContextAttention {
public:
  explicit ContextAttention(const Layout &layout)
      : rank_(Layout::contextRank()), ranks_(layout.contextRanks()), pairs_(pairsOf(rank_, ranks_)) {}

  Tensor forward(const std::vector<Tensor> &inputs) {
    own_ = {inputs[0], inputs[1], inputs[2]};
    Tensor buffer = cat({flatOf(own_.key), flatOf(own_.value)});
    gathered_ = collectives::all_gather_tensor(buffer, 0, "cp");
    calls_ = {attend(own_, true)};
    Merged all = inF32(calls_.front());
    for (const Pair &pair : pairs_) {
      calls_.push_back(attend(inputsOf(pair), false));
      Merged one = merged({piece(all.output, pair.queries), piece(all.logSums, pair.queries)}, inF32(calls_.back()));
      all = {withPiece(all.output, pair.queries, one.output), withPiece(all.logSums, pair.queries, one.logSums)};
    }
    whole_.output = to(all.output, own_.query.dtype());
    whole_.logSums = squeeze(all.logSums, -1);
    return whole_.output;
  }

  std::vector<Tensor> backward(const Tensor &gradient) {
    Gradients own = gradientsOf(gradient, own_, whole_, calls_.front());
    std::vector<Tensor> buffers = {bufferOf(own)};
    for (size_t i = 0; i != pairs_.size(); i += 2) {
      Gradients first = gradientsOf(gradient, i), second = gradientsOf(gradient, i + 1);
      for (auto [which, add] : {std::pair(pairs_[i].queries, &first), {pairs_[i + 1].queries, &second}})
        own.query = withPiece(own.query, which, piece(own.query, which) + add->query);
      buffers.push_back(bufferOf({{},
                                  bothPieces(first.key, second.key, pairs_[i + 1].keys),
                                  bothPieces(first.value, second.value, pairs_[i + 1].keys)}));
    }
    Tensor sum = collectives::reduce_scatter_tensor(bySource(buffers), "sum", 0, "cp");
    return {to(own.query, own_.query.dtype()), partOf(sum, 0, own_.key), partOf(sum, own_.key.numel(), own_.value)};
  }

private:
  /// In f32.
  struct Gradients {
    Tensor query;
    Tensor key;
    Tensor value;
  };

  static Tensor flatOf(const Tensor &tensor) { return reshape(tensor, {-1}); }
  static Tensor bufferOf(const Gradients &of) { return cat({flatOf(of.key), flatOf(of.value)}); }
  /// Returns a tensor out of a buffer with keys and values.
  static Tensor partOf(const Tensor &buffer, int64_t first, const Tensor &like) {
    return to(view(slice(buffer, 0, first, first + like.numel()), like.sizes()), like.dtype());
  }

  [[nodiscard]] AttentionInputs inputsOf(const Pair &pair) const {
    const int64_t keys = own_.key.numel(), first = pair.source * (keys + own_.value.numel());
    return {piece(own_.query, pair.queries), piece(partOf(gathered_, first, own_.key), pair.keys),
            piece(partOf(gathered_, first + keys, own_.value), pair.keys)};
  }

  static Gradients gradientsOf(const Tensor &gradient, const AttentionInputs &in, const Attended &whole,
                               const Attended &one) {
    TensorList all = attendBackward(gradient, in, {whole.output, whole.logSums, one.seed, one.offset}, one.isCausal);
    return {to(all[0], DType::F32), to(all[1], DType::F32), to(all[2], DType::F32)};
  }
  [[nodiscard]] Gradients gradientsOf(const Tensor &gradient, size_t pair) const {
    const int64_t queries = pairs_[pair].queries;
    Attended whole;
    whole.output = piece(whole_.output, queries);
    whole.logSums = piece(whole_.logSums, queries);
    return gradientsOf(piece(gradient, queries), inputsOf(pairs_[pair]), whole, calls_[pair + 1]);
  }

  /// Returns the gradient of both pieces of a rank's keys: the first pair reads the first one.
  static Tensor bothPieces(const Tensor &first, const Tensor &second, int64_t which) {
    Tensor both = cat({first, zeros_like(first)}, tokenDim);
    return withPiece(both, which, piece(both, which) + second);
  }

  /// `buffers` are those of rank r, r - 1, ..; returns them in the order of the ranks. The rank is only in the place of
  /// a slice of two rounds.
  [[nodiscard]] Tensor bySource(const std::vector<Tensor> &buffers) const {
    std::vector<Tensor> rounds(buffers.rbegin(), buffers.rend());
    rounds.insert(rounds.end(), buffers.rbegin(), buffers.rend());
    const int64_t count = buffers.front().numel(), first = (ranks_ - 1 - rank_) * count;
    return slice(cat(rounds), 0, first, first + ranks_ * count);
  }

  int64_t rank_;
  int64_t ranks_;
  std::vector<Pair> pairs_;
  AttentionInputs own_;
  Tensor gathered_;
  /// of the own keys, then of each pair
  std::vector<Attended> calls_;
  Attended whole_;
};

} // namespace

Tensor contextAttention(const Block &block, const AttentionInputs &inputs) {
  auto attention = std::make_shared<ContextAttention>(block.layout);
  return apply(AutogradListFunction{[=](const std::vector<Tensor> &in) { return attention->forward(in); },
                                    [=](const Tensor &gradient) { return attention->backward(gradient); }},
               {inputs.query, inputs.key, inputs.value});
}

} // namespace ccgraph::models
