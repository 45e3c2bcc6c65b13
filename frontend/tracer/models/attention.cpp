#include "models/blocks.h"

#include "ccgraph/ir/device.h"
#include "ccgraph/tracer/ops.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

namespace {

/// [batch, sequence, heads * features] -> [batch, sequence, heads, features]
Tensor asHeads(const Tensor &features, int64_t heads) {
  return view(features, {features.size(0), features.size(1), heads, features.size(2) / heads});
}

/// Calls the operator that PyTorch chooses for such tensors on such a device.
Tensor fusedAttention(const Tensor &query, const Tensor &key, const Tensor &value) {
  // Flash attention requires that values have as many features as queries.
  if (query.size(-1) != value.size(-1))
    return callList("aten._scaled_dot_product_efficient_attention.default",
                    {query, key, value, Tensor(), true, 0.0, true})[0];
  llvm::StringRef target = deviceText(query.device()) == "cpu"
                               ? "aten._scaled_dot_product_flash_attention_for_cpu.default"
                               : "aten._scaled_dot_product_flash_attention.default";
  return callList(target, {query, key, value, 0.0, true})[0];
}

/// Repeats each head of keys and values for the query heads that share it: the CPU's operator requires equal numbers of
/// heads.
Tensor repeated(const Tensor &heads, int64_t count) {
  if (heads.size(1) == count)
    return heads;
  std::vector<int64_t> sizes = heads.sizes();
  Tensor stretched = expand(unsqueeze(heads, 2), {sizes[0], sizes[1], count / sizes[1], sizes[2], sizes[3]});
  return reshape(stretched, {sizes[0], count, sizes[2], sizes[3]});
}

} // namespace

Tensor causalAttention(const Block &block, const AttentionInputs &inputs) {
  ModuleScope module("inner_attention");
  Tensor q = transpose(inputs.query, 1, 2), k = transpose(inputs.key, 1, 2), v = transpose(inputs.value, 1, 2);
  if (deviceText(q.device()) == "cpu") {
    k = repeated(k, q.size(1));
    v = repeated(v, q.size(1));
  }
  Tensor result = block.layout.contextRanks() > 1 ? contextAttention(block, {q, k, v}) : fusedAttention(q, k, v);
  return transpose(result, 1, 2);
}

Tensor selfAttention(const Block &block, const Tensor &input) {
  Module module(block.layout, "attention");
  const ModelConfig &model = block.model;
  int64_t ranks = block.layout.tensorRanks(), heads = model.heads / ranks, kvHeads = model.kvHeads / ranks;
  Tensor all = projection(block, "wqkv", block.layout.gatherSequence(input), (heads + 2 * kvHeads) * model.headDim);
  TensorList parts =
      split_with_sizes(all, {heads * model.headDim, kvHeads * model.headDim, kvHeads * model.headDim}, -1);
  Tensor query = asHeads(parts[0], heads), key = asHeads(parts[1], kvHeads), value = asHeads(parts[2], kvHeads);
  if (model.qkNorm) {
    query = normalized(block, "q_norm", query);
    key = normalized(block, "k_norm", key);
  }
  if (!block.rotary.cos.isAbsent()) {
    query = rotated(query, block.rotary);
    key = rotated(key, block.rotary);
  }
  return rowProjection(block, "wo", flatten(causalAttention(block, {query, key, value}), 2), model.dim);
}

} // namespace ccgraph::models
