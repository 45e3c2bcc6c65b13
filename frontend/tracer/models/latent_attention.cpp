#include "models/blocks.h"

#include "ccgraph/tracer/ops.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

namespace {

/// Multiplies by a weight that each tensor rank has as a whole.
Tensor sharedProjection(const Block &block, const std::string &name, const Tensor &input, int64_t features) {
  Module module(block.layout, name);
  return weightProduct(block, input, features, WeightKind::Shared);
}

struct KeysAndValues {
  Tensor key;
  Tensor value;
};

// Expands the short vector of each token for each head; all heads share the positional part of the keys.
KeysAndValues keysAndValues(const Block &block, const Tensor &input, int64_t heads) {
  const ModelConfig &model = block.model;
  TensorList parts = split_with_sizes(sharedProjection(block, "wkv_a", input, model.kvRank + model.ropeDim),
                                      {model.kvRank, model.ropeDim}, -1);
  int64_t batch = input.size(0), tokens = input.size(1);
  Tensor positioned = rotated(unsqueeze(parts[1], 2), block.rotary);
  Tensor longer = projection(block, "wkv_b", normalized(block, "kv_norm", contiguous(parts[0])),
                             heads * (model.nopeDim + model.valueDim));
  TensorList ofHeads = split_with_sizes(view(longer, {batch, tokens, heads, model.nopeDim + model.valueDim}),
                                        {model.nopeDim, model.valueDim}, -1);
  return {cat({ofHeads[0], expand(positioned, {batch, tokens, heads, model.ropeDim})}, -1), ofHeads[1]};
}

Tensor queries(const Block &block, const Tensor &input, int64_t heads) {
  const ModelConfig &model = block.model;
  Tensor all = projection(block, "wq", input, heads * (model.nopeDim + model.ropeDim));
  TensorList parts = split_with_sizes(view(all, {input.size(0), input.size(1), heads, model.nopeDim + model.ropeDim}),
                                      {model.nopeDim, model.ropeDim}, -1);
  return cat({parts[0], rotated(parts[1], block.rotary)}, -1);
}

} // namespace

Tensor latentAttention(const Block &block, const Tensor &input) {
  Module module(block.layout, "attention");
  int64_t heads = block.model.heads / block.layout.tensorRanks();
  Tensor whole = block.layout.gatherSequence(input);
  Tensor query = queries(block, whole, heads);
  KeysAndValues kv = keysAndValues(block, whole, heads);
  return rowProjection(block, "wo", flatten(causalAttention(block, {query, kv.key, kv.value}), 2), block.model.dim);
}

} // namespace ccgraph::models
