#include "models/blocks.h"

#include "ccgraph/tracer/ops.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

namespace {

/// The sizes of one layer's routing: `tokens` of this rank, `places` = tokens x experts per token.
struct Routing {
  int64_t tokens;
  int64_t places;
  int64_t experts;
  /// places that belong to one expert
  int64_t each;
  int64_t dim;
  int64_t ranks;
};

/// Sorts places by expert; place p belongs to expert p mod experts: [places, n] -> [experts, each, n].
Tensor byExpert(const Tensor &places, const Routing &r) {
  return transpose(view(places, {r.each, r.experts, places.size(-1)}), 0, 1);
}
Tensor byPlace(const Tensor &ofExperts, const Routing &r) {
  return reshape(transpose(ofExperts, 0, 1), {r.places, ofExperts.size(-1)});
}

/// Returns the expert of each place of a token, i64[tokens, experts per token].
Tensor expertOfPlace(const Routing &r, const std::string &device) {
  Tensor place = arange(r.places, DType::I64, device);
  Tensor turn = call("aten.remainder.Scalar", {place, r.experts});
  return view(turn, {r.tokens, r.places / r.tokens});
}

/// Returns the weight of each place: f32[places, 1]. The router is trained by the gradient of these weights.
Tensor placeWeights(const Block &block, const Tensor &tokens, const Routing &r) {
  Module module(block.layout, "router");
  Tensor gate = block.layout.weight("weight", {r.experts, r.dim}, WeightKind::Shared);
  Tensor scores = softmax(to(linear(tokens, gate), DType::F32), -1);
  Tensor chosen = gather(scores, 1, expertOfPlace(r, block.layout.device()));
  Tensor shares = chosen / sum(chosen, {-1}, true);
  return view(shares, {r.places, 1});
}

/// [experts, each, dim] of this rank's tokens -> [experts of this rank, ranks * each, dim] of all ranks' tokens.
Tensor toExperts(const Block &block, const Tensor &parts, const Routing &r) {
  if (r.ranks == 1)
    return contiguous(parts);
  Tensor received = block.layout.exchange(parts);
  Tensor byRank = view(received, {r.ranks, r.experts / r.ranks, r.each, r.dim});
  return reshape(transpose(byRank, 0, 1), {r.experts / r.ranks, r.ranks * r.each, r.dim});
}

/// Inverts toExperts.
Tensor fromExperts(const Block &block, const Tensor &results, const Routing &r) {
  if (r.ranks == 1)
    return results;
  Tensor byExpertAndRank = view(results, {r.experts / r.ranks, r.ranks, r.each, r.dim});
  Tensor parts = reshape(transpose(byExpertAndRank, 0, 1), {r.experts, r.each, r.dim});
  return block.layout.exchange(parts);
}

Tensor expertNetworks(const Block &block, const Tensor &input, const Routing &r) {
  Module module(block.layout, "experts");
  int64_t own = r.experts / r.ranks, hidden = block.model.expertDim / block.layout.parallel().expertTensor();
  // The weight holds the rows of all experts one after the other, because there may be more ranks than experts to
  // divide it over.
  auto weight = [&](llvm::StringRef name, int64_t in, int64_t out) {
    Tensor rows = block.layout.weight(name, {own * out, in}, WeightKind::Expert);
    return transpose(view(rows, {own, out, in}), 1, 2);
  };
  Tensor gate = silu(bmm(input, weight("w1", r.dim, hidden)));
  Tensor gated = gate * bmm(input, weight("w3", r.dim, hidden));
  return bmm(gated, weight("w2", hidden, r.dim));
}

Tensor routed(const Block &block, const Tensor &whole, const Routing &r) {
  Tensor tokens = view(whole, {r.tokens, r.dim});
  Tensor weights = placeWeights(block, tokens, r);
  int64_t ofEach = r.places / r.tokens;
  Tensor places = reshape(expand(unsqueeze(tokens, 1), {r.tokens, ofEach, r.dim}), {r.places, r.dim});
  Tensor results = expertNetworks(block, toExperts(block, byExpert(places, r), r), r);
  Tensor weighted = to(byPlace(fromExperts(block, results, r), r) * weights, whole.dtype());
  return view(sum(view(weighted, {r.tokens, ofEach, r.dim}), {1}), whole.sizes());
}

} // namespace

Tensor mixtureOfExperts(const Block &block, const Tensor &input) {
  const ModelConfig &model = block.model;
  // If the experts are on ranks of their own, a tensor rank sends only its part of the sequence.
  const bool sendsPart = block.layout.parallel().expertSenders() > 1;
  Tensor whole = sendsPart && model.sharedExperts == 0 ? input : block.layout.gatherSequence(input);
  const Tensor &sent = sendsPart ? input : whole;
  Routing r{};
  r.tokens = sent.size(0) * sent.size(1);
  r.places = r.tokens * model.expertsPerToken;
  r.experts = model.experts;
  r.each = r.places / r.experts;
  r.dim = model.dim;
  r.ranks = block.layout.parallel().experts;
  Tensor out = routed(block, sendsPart ? contiguous(sent) : sent, r);
  if (!sendsPart)
    out = block.layout.scatterSequence(out);
  if (model.sharedExperts == 0)
    return out;
  Module module(block.layout, "shared_experts");
  return out + feedForward(block, whole, model.sharedExperts * model.expertDim);
}

} // namespace ccgraph::models
